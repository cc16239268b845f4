// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_REGISTRY_NAME_TEXT_H
#define BKR_REGISTRY_NAME_TEXT_H

#include <algorithm>
#include <string_view>

#include "base/arena.h"
#include "base/hash.h"
#include "registry/member_names.h"

namespace bkr::core {

// The text of a member's name: ends with a NUL, which the C face needs, and has its length in a byte before it, so that
// a look-up compares words and calls no function.
static_assert(kMaxMemberName <= 255);

inline const char *copy_name_text(Arena &arena, std::string_view name) {
  char *to = static_cast<char *>(arena.allocate(name.size() + 2, 1));
  *to = static_cast<char>(static_cast<unsigned char>(name.size()));
  *std::copy(name.begin(), name.end(), to + 1) = '\0';
  return to + 1;
}

BKR_ALWAYS_INLINE std::string_view name_text(const char *text) noexcept {
  return {text, static_cast<unsigned char>(text[-1])};
}

BKR_ALWAYS_INLINE bool is_name_text(const char *text, std::string_view name) noexcept {
  return same_text(name_text(text), name);
}

}  // namespace bkr::core

#endif  // BKR_REGISTRY_NAME_TEXT_H
