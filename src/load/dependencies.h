// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_LOAD_DEPENDENCIES_H
#define BKR_LOAD_DEPENDENCIES_H

#include <optional>
#include <string>

#include "discover/plugin_file.h"

namespace bkr::core {

// A library that a file needs and brings along, and that the system's loader must not see.
struct DamagedDependency {
  std::string file;
  std::string needed_by;
  std::string reason;
};

// Looks at the libraries that lie where the file says that its libraries do ($ORIGIN and absolute places), and at
// those that they need. What the system already has in memory is not looked at.
std::optional<DamagedDependency> find_damaged_dependency(const PluginFile &facts);

}  // namespace bkr::core

#endif  // BKR_LOAD_DEPENDENCIES_H
