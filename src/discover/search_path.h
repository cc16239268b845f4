// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_DISCOVER_SEARCH_PATH_H
#define BKR_DISCOVER_SEARCH_PATH_H

#include <string>
#include <string_view>
#include <vector>

namespace bkr::core {

enum class Origin { config, environment, user, library };
std::string_view origin_word(Origin origin) noexcept;  // "config", "environment", …

// One place to look for plugins, before anything was read.
struct SearchPlace {
  std::string path;  // absolute
  Origin origin;
};

// What the places are made from; the caller has already applied the rules of the environment (elevated, empty).
struct SearchSettings {
  std::vector<std::string> config_dirs;
  std::string plugin_path;    // BKR_PLUGIN_PATH
  std::string working_dir;    // what relative paths are fixed against; empty: the working directory of now
  std::string xdg_data_home;  // XDG_DATA_HOME
  std::string home;           // HOME
  bool default_dirs = true;   // the user's and the library's directories too
};

// Whether a path does not depend on the working directory.
bool is_absolute(std::string_view path) noexcept;

// The places in order: config, BKR_PLUGIN_PATH, the user's data directory, beside the library. Relative ones are
// fixed against the working directory (left out if that is deleted); nothing is looked at yet.
std::vector<SearchPlace> search_places(const SearchSettings &settings);

// `backend_registry/plugins` beside the file that holds this library's code; empty if the system cannot tell.
std::string library_plugin_dir();

}  // namespace bkr::core

#endif  // BKR_DISCOVER_SEARCH_PATH_H
