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

// Both halves of a product, folded: each bit of the result depends on all of both.
inline uint64_t fold(uint64_t a, uint64_t b) noexcept {
#if defined(__SIZEOF_INT128__)
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
#else
  const uint64_t low_low = (a & 0xFFFFFFFFu) * (b & 0xFFFFFFFFu);
  const uint64_t high_low = (a >> 32) * (b & 0xFFFFFFFFu);
  const uint64_t low_high = (a & 0xFFFFFFFFu) * (b >> 32);
  const uint64_t middle = (low_low >> 32) + (high_low & 0xFFFFFFFFu) + low_high;
  const uint64_t high = (a >> 32) * (b >> 32) + (high_low >> 32) + (middle >> 32);
  return (a * b) ^ high;
#endif
}

}  // namespace detail

// A hash for tables in memory: each sixteen bytes are one product of 64 by 64 bits, whose halves are folded. Names are
// short, and a byte at a time would cost more than the look-up itself. Not stable between versions; never written
// anywhere, but by the cache of scans, whose file belongs to one version.
inline uint64_t hash_text(std::string_view text) noexcept {
  // Odd constants with evenly spread bits: 2^64 divided by the golden ratio and by the plastic number.
  constexpr uint64_t kOne = 0x9E3779B97F4A7C15u;
  constexpr uint64_t kTwo = 0xC13FA9A902A6328Fu;
  using detail::fold;
  using detail::load_word;
  const char *at = text.data();
  std::size_t left = text.size();
  uint64_t hash = left;
  for (; left > 16; at += 16, left -= 16) {
    hash = fold(load_word<uint64_t>(at) ^ hash ^ kOne, load_word<uint64_t>(at + 8) ^ kTwo);
  }
  // The rest as two loads that may overlap, instead of a copy of variable length.
  uint64_t one = 0;
  uint64_t two = 0;
  if (text.size() >= 16) {
    one = load_word<uint64_t>(at + left - 16);
    two = load_word<uint64_t>(at + left - 8);
  } else if (left >= 8) {
    one = load_word<uint64_t>(at);
    two = load_word<uint64_t>(at + left - 8);
  } else if (left >= 4) {
    one = load_word<uint32_t>(at);
    two = load_word<uint32_t>(at + left - 4);
  } else if (left > 0) {
    one = load_word<uint8_t>(at) | load_word<uint8_t>(at + left / 2) << 8;
    two = load_word<uint8_t>(at + left - 1);
  }
  return fold(fold(one ^ hash ^ kTwo, two ^ kOne), kOne);
}

}  // namespace bkr::core

#endif  // BKR_BASE_HASH_H
