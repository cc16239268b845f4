// SPDX-License-Identifier: Apache-2.0
// POSIX. Where rights are not kept as a mode, no file has a fault.
#include "discover/policy.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

namespace bkr::core {

std::string policy_fault(const std::string &path, const FileOwnership &ownership, const InspectRules &rules) {
  const auto mode = static_cast<mode_t>(ownership.mode);
  const bool sticky_directory = S_ISDIR(mode) && (mode & S_ISVTX) != 0;
  if ((mode & S_IWOTH) != 0 && !sticky_directory) return cat("any user may write to ", path);
  const bool strict = rules.strict || rules.elevated;
  // In an elevated process the user that counts is the one whose rights it has.
  if (strict && ownership.uid != 0 && ownership.uid != static_cast<uint32_t>(::geteuid())) {
    return cat(path, " belongs to user ", ownership.uid, ", neither root nor the user of this process");
  }
  return {};
}

void apply_policy(const std::string &fault, const InspectRules &rules, PluginFile &file) {
  if (fault.empty()) return;
  if (!rules.strict && !rules.elevated) {
    file.warnings.push_back(fault);
  } else if (!file.failure) {
    file.failure = Failure{BKR_DENIED, BKR_STAGE_POLICY, cat(file.path, " is refused: ", fault),
                           "Change its owner or rights (chmod o-w), or put the plugin into a directory of root's.", 0};
  }
}

}  // namespace bkr::core
