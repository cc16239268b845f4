// SPDX-License-Identifier: Apache-2.0
// POSIX. Where rights are not kept as a mode, no file has a fault.
#include "discover/policy.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

namespace bkr::core {

std::string PolicyFault::against(const std::string &file) const {
  const std::string_view name = path == file ? std::string_view("it") : std::string_view(path);
  return owner ? cat(name, " belongs to user ", *owner, ", neither root nor the user of this process")
               : cat("any user may write to ", name);
}

std::string PolicyFault::advice() const {
  return owner ? "Give it to root or to this user (chown)."
               : "Take that right away (chmod o-w), or put the plugin where only you may write.";
}

std::string PolicyFault::warning() const { return cat(path, ": ", against(path), ". ", advice()); }

std::optional<PolicyFault> policy_fault(const std::string &path, const FileOwnership &ownership) {
  const auto mode = static_cast<mode_t>(ownership.mode);
  const bool sticky_directory = S_ISDIR(mode) && (mode & S_ISVTX) != 0;
  if ((mode & S_IWOTH) != 0 && !sticky_directory) return PolicyFault{path, std::nullopt};
  // In an elevated process the user that counts is the one whose rights it has.
  if (ownership.uid != 0 && ownership.uid != static_cast<uint32_t>(::geteuid())) {
    return PolicyFault{path, ownership.uid};
  }
  return std::nullopt;
}

void apply_policy(const std::optional<PolicyFault> &fault, const InspectRules &rules, PluginFile &file) {
  if (!fault) return;
  if (!rules.strict && !rules.elevated) {
    file.warnings.push_back(fault->warning());
  } else if (!file.failure) {
    file.failure = Failure{BKR_DENIED, BKR_STAGE_POLICY,
                           cat(file.path, " is refused: ", fault->against(file.path), "."), fault->advice(), 0};
  }
}

}  // namespace bkr::core
