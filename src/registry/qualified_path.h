// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_REGISTRY_QUALIFIED_PATH_H
#define BKR_REGISTRY_QUALIFIED_PATH_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/arena.h"
#include "base/failure.h"
#include "registry/path_grammar.h"

namespace bkr::core {

inline constexpr std::size_t kMaxPathSize = 4095;  // also the most that a system's own paths may have

// A qualified path as it was given, with what it means. Immutable, and lives as long as its registry, so that
// readers hold plain pointers to it. The text lies behind the header; for a file, the absolute file and the symbol
// lie behind the text.
class alignas(8) QualifiedPath {
 public:
  // The text byte for byte, NUL-terminated.
  const char *c_str() const noexcept { return reinterpret_cast<const char *>(this + 1); }
  std::string_view text() const noexcept { return {c_str(), size_}; }
  PathKind kind() const noexcept { return kind_; }

  // For kind file. With a directory part the file is absolute; without, it is a name to look for.
  bool is_place() const noexcept { return is_place_; }
  const char *file() const noexcept { return c_str() + size_ + 1; }
  const char *symbol() const noexcept {
    const std::string_view f = file();
    return f.data() + f.size() + 1;
  }

  // The text up to its last dot for kind dotted, else the whole text.
  std::string_view module() const noexcept { return {c_str(), module_size_}; }
  // The module as a C string of its own, once somebody asked for it.
  std::atomic<const char *> &module_text() const noexcept { return module_text_; }

 private:
  friend class PathPool;
  QualifiedPath() = default;
  mutable std::atomic<const char *> module_text_{nullptr};
  uint16_t size_ = 0;
  uint16_t module_size_ = 0;
  PathKind kind_ = PathKind::empty;
  bool is_place_ = false;
  bool is_fixed_ = false;  // means the same wherever the process stands
};

// Checks what is refused when a path is given (BKR_BAD_PATH): empty, too long, a trailing separator, a relative
// file in a deleted working directory. On success gives the file in its absolute form (empty for other kinds).
Result<std::string> check_path(std::string_view text, const ParsedPath &parsed);

}  // namespace bkr::core

#endif  // BKR_REGISTRY_QUALIFIED_PATH_H
