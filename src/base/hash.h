// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_BASE_HASH_H
#define BKR_BASE_HASH_H

#include <cstdint>
#include <cstring>
#include <string_view>

namespace bkr::core {

// A hash that takes eight bytes a step, for tables in memory: names are short, and a byte at a time would cost
// more than the look-up itself. Not stable between versions; never written anywhere.
inline uint64_t hash_text(std::string_view text) noexcept {
  constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15u;  // 2^64 divided by the golden ratio
  const char *at = text.data();
  std::size_t left = text.size();
  uint64_t hash = left * kMultiplier;
  const auto take = [&hash](uint64_t word) {
    hash = (hash ^ word) * kMultiplier;
    hash ^= hash >> 32;
  };
  uint64_t word = 0;
  for (; left >= 8; at += 8, left -= 8) {
    std::memcpy(&word, at, 8);
    take(word);
  }
  if (left >= 4) {  // two overlapping halves instead of a copy of variable length
    uint32_t low = 0;
    uint32_t high = 0;
    std::memcpy(&low, at, 4);
    std::memcpy(&high, at + left - 4, 4);
    take(low | static_cast<uint64_t>(high) << 32);
  } else if (left > 0) {
    take(static_cast<uint64_t>(static_cast<unsigned char>(at[0])) |
         static_cast<uint64_t>(static_cast<unsigned char>(at[left / 2])) << 8 |
         static_cast<uint64_t>(static_cast<unsigned char>(at[left - 1])) << 16);
  }
  return hash * kMultiplier;
}

}  // namespace bkr::core

#endif  // BKR_BASE_HASH_H
