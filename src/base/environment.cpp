// SPDX-License-Identifier: Apache-2.0
#include "base/environment.h"

#include <algorithm>
#include <cstdlib>

#include "base/process.h"

#if defined(_WIN32)
#define environ _environ
#else
extern "C" char **environ;
#endif

namespace bkr::core {

namespace {

std::string value_of(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

Environment Environment::capture(bool with_settings) {
  Environment captured;
  captured.elevated_ = is_elevated();
  if (!captured.elevated_) {
    captured.home_ = value_of("HOME");
    captured.xdg_data_home_ = value_of("XDG_DATA_HOME");
    captured.xdg_cache_home_ = value_of("XDG_CACHE_HOME");
  }
  if (!with_settings || !environ) return captured;
  for (char **entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (!text.starts_with("BKR_") || equals == std::string_view::npos) continue;
    captured.settings_.push_back({std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))});
  }
  // Of one that is set twice the first counts, as it does for getenv(): that is what those who cleared it have seen.
  std::vector<Variable> &all = captured.settings_;
  std::stable_sort(all.begin(), all.end(), [](const Variable &a, const Variable &b) { return a.name < b.name; });
  all.erase(std::unique(all.begin(), all.end(), [](const Variable &a, const Variable &b) { return a.name == b.name; }),
            all.end());
  std::erase_if(all, [](const Variable &variable) { return variable.value.empty(); });
  return captured;
}

std::string Environment::get(std::string_view name) const {
  if (elevated_) return {};
  for (const Variable &variable : settings_) {
    if (variable.name == name) return variable.value;
  }
  return {};
}

}  // namespace bkr::core
