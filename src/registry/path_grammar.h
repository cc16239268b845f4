// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_REGISTRY_PATH_GRAMMAR_H
#define BKR_REGISTRY_PATH_GRAMMAR_H

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bkr::core {

// What a qualified path is, by its text alone:
//   path   := file [ "::" symbol ] | module "." class | word
//   symbol := [A-Za-z_][A-Za-z0-9_]*   the last "::" splits only if a symbol follows it
//   file   := has a "/" (Windows: also "\" or a drive), or its last component ends as shared libraries do
//   class  := what follows the last dot; module what precedes it; no empty parts
//   word   := anything else that is not empty
enum class PathKind : uint8_t { empty, dotted, file, word };

struct ParsedPath {
  PathKind kind = PathKind::empty;
  std::string_view file;            // file: without the symbol
  std::string_view symbol;          // file: "create_backend" where none is given
  std::size_t module_size = 0;      // how much of the text is the module; all of it where there is no class
  bool has_directory = false;       // file: names a place, not just a name to look for
  bool is_absolute = false;         // file: needs no working directory
  bool trailing_separator = false;  // file: cannot name a file
};

ParsedPath parse_path(std::string_view text) noexcept;

// The symbol of a path that names a file alone.
inline constexpr std::string_view kDefaultSymbol = "create_backend";

}  // namespace bkr::core

#endif  // BKR_REGISTRY_PATH_GRAMMAR_H
