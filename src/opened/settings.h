// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_OPENED_SETTINGS_H
#define BKR_OPENED_SETTINGS_H

#include <backend_registry/registry.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "base/failure.h"
#include "discover/catalog.h"
#include "discover/search_path.h"
#include "load/host_context.h"
#include "registry/family_set.h"

namespace bkr::core {

// The host's configuration: a checked copy of bkr_config.
struct Settings {
  uint32_t flags = 0;
  std::vector<std::string> search_dirs;  // absolute
  std::string working_dir;               // when the registry was opened
  int32_t log_level = 0;
  bkr_log_fn log = nullptr;
  void *log_user = nullptr;
  bkr_host::Services services;
};

// BKR_INVALID_ARGUMENT names the field. `config` may be null.
Result<Settings> copy_settings(const bkr_config *config);

// The level of the log: the configuration's, else BKR_LOG's, else warn.
int32_t log_level(const Settings &settings, const Environment &environment);

// How many threads kernels may use: BKR_NUM_THREADS, else one for each CPU that this process may use.
uint32_t thread_count(const Environment &environment);

// What discovery is to search, from the configuration and the environment.
SearchSettings search_settings(const Settings &settings, const Environment &environment);
// The directory of the scan cache; empty: none is asked for, or there is no place for one. None in an elevated process.
std::string cache_dir(const Settings &settings, const Environment &environment);
Filters filters(const Environment &environment);
OverrideEnvironment overrides(const Environment &environment);

// "BKR_SELECT_ATTENTION": an operator's choice for a family.
std::string select_variable(std::string_view family);

// How a set BKR_ variable is meant.
struct VariableUse {
  const Variable *variable;
  std::string state;    // "used", "ignored: elevated", "unknown"
  std::string nearest;  // for an unknown one: a known name within two edits
  int members = 0;      // how many members it overrides
};

// What each set BKR_ variable is to the families that are there now.
std::vector<VariableUse> variable_uses(const Environment &environment, const FamilySet &families);

// What an operator should be told of the environment when it has been read, a line each.
std::vector<std::string> environment_warnings(const Environment &environment, const FamilySet &families);

}  // namespace bkr::core

#endif  // BKR_OPENED_SETTINGS_H
