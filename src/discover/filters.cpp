// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.h"
#include "discover/catalog.h"

namespace bkr::core {

namespace {

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool continues(char c) noexcept { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

// `*`: any text, `?`: one character (all bytes of it). Goes back to the last star only: linear for each star.
bool glob_matches(std::string_view glob, std::string_view text) noexcept {
  std::size_t g = 0, t = 0;
  std::size_t star = std::string_view::npos, retry = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      retry = t;
    } else if (g < glob.size() && glob[g] == '?') {
      ++g;
      do ++t;
      while (t < text.size() && continues(text[t]));
    } else if (g < glob.size() && lower(glob[g]) == lower(text[t])) {
      ++g;
      ++t;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', g) == std::string_view::npos;
}

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// The first glob of the list that matches one of the names; empty if none does.
std::string_view match(std::string_view list, std::span<const std::string_view> names) {
  for (const std::string_view item : split(list, ',')) {
    const std::string_view glob = trimmed(item);
    if (glob.empty()) continue;
    if (std::any_of(names.begin(), names.end(), [&](auto name) { return glob_matches(glob, name); })) return glob;
  }
  return {};
}

}  // namespace

bool Filters::allow(std::span<const std::string_view> names, std::string &why) const {
  if (!enable.empty()) {
    if (!match(enable, names).empty()) return true;
    why = cat("BKR_ENABLE=", enable, " does not name it");
    return false;
  }
  const std::string_view glob = match(disable, names);
  if (glob.empty()) return true;
  why = cat("BKR_DISABLE=", disable, " names it (", glob, ")");
  return false;
}

bool Filters::allow(std::string_view plugin_id, std::string_view file_name, std::string &why) const {
  const std::string_view names[] = {plugin_id, file_name};
  return allow(std::span(names).subspan(plugin_id.empty() ? 1 : 0), why);
}

}  // namespace bkr::core
