// SPDX-License-Identifier: Apache-2.0
#include "registry/path_grammar.h"

#include <algorithm>

#include "base/text.h"
#include "discover/catalog.h"

namespace bkr::core {

namespace {

#if defined(_WIN32)
bool is_separator(char c) noexcept { return c == '/' || c == '\\'; }
bool has_drive(std::string_view text) noexcept {
  return text.size() >= 2 && text[1] == ':' && ((text[0] | 0x20) >= 'a' && (text[0] | 0x20) <= 'z');
}
#else
bool is_separator(char c) noexcept { return c == '/'; }
bool has_drive(std::string_view) noexcept { return false; }
#endif

bool has_directory(std::string_view text) noexcept {
  const auto separator = [](char c) { return is_separator(c); };  // inlined, as a function's address is not
  return std::any_of(text.begin(), text.end(), separator) || has_drive(text);
}

bool is_file(std::string_view text) noexcept { return has_directory(text) || has_library_suffix(text); }

// Where the last dot splits module and class; npos if a part would be empty.
std::size_t class_dot(std::string_view text) noexcept {
  if (text.empty() || text.front() == '.' || text.back() == '.' || text.find("..") != std::string_view::npos) {
    return std::string_view::npos;
  }
  return text.rfind('.');
}

}  // namespace

ParsedPath parse_path(std::string_view text) noexcept {
  ParsedPath parsed;
  parsed.module_size = text.size();
  if (text.empty()) return parsed;

  std::string_view file = text;
  std::string_view symbol;
  // Most paths are dotted ones without a colon, for which there is a quick search.
  const std::size_t colons = text.find(':') == std::string_view::npos ? text.npos : text.rfind("::");
  if (colons != text.npos && is_identifier(text.substr(colons + 2))) {
    file = text.substr(0, colons);
    symbol = text.substr(colons + 2);
  }
  if (is_file(file)) {
    parsed.kind = PathKind::file;
    parsed.file = file;
    parsed.symbol = symbol.empty() ? kDefaultSymbol : symbol;
    parsed.has_directory = has_directory(file);
    parsed.is_absolute = is_separator(file.front()) || has_drive(file);
    parsed.trailing_separator = is_separator(file.back());
    return parsed;
  }
  if (const std::size_t dot = class_dot(text); dot != std::string_view::npos) {
    parsed.kind = PathKind::dotted;
    parsed.module_size = dot;
    return parsed;
  }
  parsed.kind = PathKind::word;
  return parsed;
}

}  // namespace bkr::core
