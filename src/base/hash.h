// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_BASE_HASH_H
#define BKR_BASE_HASH_H

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace bkr::core {

namespace detail {

template <class Word>
uint64_t load_word(const char *from) noexcept {
  Word word = 0;
  std::memcpy(&word, from, sizeof word);
  return word;
}

}  // namespace detail

// A hash for tables in memory. Sixteen bytes a step in two lanes that do not wait for each other: names are short,
// and a byte at a time would cost more than the look-up itself. Not stable between versions: of
// what is written only the scan cache has it, which is one version's.
inline uint64_t hash_text(std::string_view text) noexcept {
  // Odd constants with evenly spread bits: 2^64 divided by the golden ratio and by the plastic number.
  constexpr uint64_t kOne = 0x9E3779B97F4A7C15u;
  constexpr uint64_t kTwo = 0xC13FA9A902A6328Fu;
  uint64_t one = text.size() * kOne;
  uint64_t two = kTwo;
  const auto take = [&](uint64_t a, uint64_t b) {
    one = (one ^ a) * kOne;
    two = (two ^ b) * kTwo;
    one ^= one >> 31;
    two ^= two >> 29;
  };
  using detail::load_word;
  const char *at = text.data();
  std::size_t left = text.size();
  for (; left > 16; at += 16, left -= 16) take(load_word<uint64_t>(at), load_word<uint64_t>(at + 8));
  // The rest as two loads that may overlap, instead of a copy of variable length.
  if (left >= 8) {
    take(load_word<uint64_t>(at), load_word<uint64_t>(at + left - 8));
  } else if (left >= 4) {
    take(load_word<uint32_t>(at), load_word<uint32_t>(at + left - 4));
  } else if (left > 0) {
    take(load_word<uint8_t>(at) | load_word<uint8_t>(at + left / 2) << 8, load_word<uint8_t>(at + left - 1));
  }
  return (one ^ std::rotl(two, 23)) * kOne;
}

}  // namespace bkr::core

#endif  // BKR_BASE_HASH_H
