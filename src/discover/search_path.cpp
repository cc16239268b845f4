// SPDX-License-Identifier: Apache-2.0
#include "discover/search_path.h"

#include "base/text.h"
#include "discover/directory.h"

namespace bkr::core {

namespace {

#if defined(_WIN32)
constexpr char kListSeparator = ';';
#else
constexpr char kListSeparator = ':';
#endif

constexpr std::string_view kSubdirectory = "/backend_registry/plugins";

}  // namespace

bool is_absolute(std::string_view path) noexcept {
#if defined(_WIN32)
  if (path.size() >= 3 && path[1] == ':') return path[2] == '/' || path[2] == '\\';
#endif
  return !path.empty() && path.front() == '/';
}

std::string_view origin_word(Origin origin) noexcept {
  switch (origin) {
    case Origin::config:
      return "config";
    case Origin::environment:
      return "environment";
    case Origin::user:
      return "user";
    case Origin::library:
      return "library";
  }
  return "unknown";
}

std::vector<SearchPlace> search_places(const SearchSettings &settings) {
  std::vector<SearchPlace> places;
  const auto add = [&](const std::string &path, Origin origin) {
    std::string absolute = path;
    if (!path.empty() && !is_absolute(path)) {
      absolute = settings.working_dir.empty() ? absolute_path(path) : cat(settings.working_dir, "/", path);
    }
    if (!absolute.empty()) places.push_back({std::move(absolute), origin});
  };
  for (const std::string &dir : settings.config_dirs) add(dir, Origin::config);
  for (const std::string_view dir : split(settings.plugin_path, kListSeparator)) {
    add(std::string(dir), Origin::environment);
  }
  if (!settings.default_dirs) return places;

  // A relative XDG_DATA_HOME is invalid by that specification; a relative HOME leads nowhere either.
  if (is_absolute(settings.xdg_data_home)) {
    add(cat(settings.xdg_data_home, kSubdirectory), Origin::user);
  } else if (is_absolute(settings.home)) {
    add(cat(settings.home, "/.local/share", kSubdirectory), Origin::user);
  }
  add(library_plugin_dir(), Origin::library);
  return places;
}

std::string library_plugin_dir() {
  const std::string &library = own_library_path();
  const std::size_t slash = library.find_last_of("/\\");
  return slash == std::string::npos ? std::string() : cat(library.substr(0, slash), kSubdirectory);
}

}  // namespace bkr::core
