// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_DISCOVER_POLICY_H
#define BKR_DISCOVER_POLICY_H

#include <cstdint>
#include <optional>
#include <string>

#include "discover/file_reader.h"
#include "discover/plugin_file.h"

namespace bkr::core {

// What the policy of stage 9 has against a file or directory.
struct PolicyFault {
  std::string path;
  std::optional<uint32_t> owner;  // who should not own it; none: any user may write to it

  // The fault as a clause about a file: that of its directory names the directory.
  std::string against(const std::string &file) const;
  std::string advice() const;
  std::string warning() const;
};

// Others may not write to it (a directory may have the sticky bit instead), and it must belong to root or to this
// process's user.
std::optional<PolicyFault> policy_fault(const std::string &path, const FileOwnership &ownership);

// Puts a fault where it belongs: a refusal under strict rules, else a warning. An earlier failure stays.
void apply_policy(const std::optional<PolicyFault> &fault, const InspectRules &rules, PluginFile &file);

}  // namespace bkr::core

#endif  // BKR_DISCOVER_POLICY_H
