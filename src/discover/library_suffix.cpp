// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "discover/catalog.h"

namespace bkr::core {

bool has_library_suffix(std::string_view name) noexcept {
  const auto is = [](std::string_view given, std::string_view wanted) {
    return given.size() == wanted.size() && std::equal(given.begin(), given.end(), wanted.begin(), [](char a, char b) {
#if defined(_WIN32)
             if (a >= 'A' && a <= 'Z') a = static_cast<char>(a - 'A' + 'a');
#endif
             return a == b;
           });
  };
  // Any number of ".digits" behind ".so".
  for (bool last = true;; last = false) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) return false;
    const std::string_view suffix = name.substr(dot + 1);
    if (is(suffix, "so") || (last && (is(suffix, "dll") || is(suffix, "dylib")))) return true;
    if (suffix.empty() || !std::all_of(suffix.begin(), suffix.end(), [](char c) { return c >= '0' && c <= '9'; })) {
      return false;
    }
    name = name.substr(0, dot);
  }
}

}  // namespace bkr::core
