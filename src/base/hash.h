// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_BASE_HASH_H
#define BKR_BASE_HASH_H

#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/always_inline.h"

namespace bkr::core {

namespace detail {

template <class Word>
BKR_ALWAYS_INLINE uint64_t load_word(const char *from) noexcept {
  Word word = 0;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// Both halves of a product, folded: each bit of the result depends on all of both.
BKR_ALWAYS_INLINE uint64_t fold(uint64_t a, uint64_t b) noexcept {
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

// A hash for tables in memory: of each sixteen bytes the product of both words, folded, and of all of these the sum, so
// that none waits for another. Names are short, and a byte at a time would cost more than the look-up itself. Not
// stable between versions; never written anywhere, but by the cache of scans, whose file belongs to one version.
BKR_ALWAYS_INLINE uint64_t hash_text(std::string_view text) noexcept {
  using detail::fold;
  using detail::load_word;
  // Odd constants with evenly spread bits: 2^64 divided by the golden ratio, the plastic number and the next of these.
  constexpr uint64_t kOne = 0x9E3779B97F4A7C15u;
  constexpr uint64_t kTwo = 0xC13FA9A902A6328Fu;
  constexpr uint64_t kStep = 0xD1B54A32D192ED03u;
  const char *at = text.data();
  const std::size_t size = text.size();
  uint64_t sum = size * kStep;
  uint64_t place = kOne;
  for (std::size_t left = size; left > 16; left -= 16, at += 16) {
    sum += fold(load_word<uint64_t>(at) ^ place, load_word<uint64_t>(at + 8) ^ kTwo);
    place += kStep;
  }
  // The end as two loads that may overlap, each other or what was before, instead of a copy of variable length.
  const char *end = text.data() + size;
  uint64_t one = 0;
  uint64_t two = 0;
  if (size >= 16) {
    one = load_word<uint64_t>(end - 16);
    two = load_word<uint64_t>(end - 8);
  } else if (size >= 8) {
    one = load_word<uint64_t>(at);
    two = load_word<uint64_t>(end - 8);
  } else if (size >= 4) {
    one = load_word<uint32_t>(at);
    two = load_word<uint32_t>(end - 4);
  } else if (size > 0) {
    one = load_word<uint8_t>(at) | load_word<uint8_t>(at + size / 2) << 8;
    two = load_word<uint8_t>(end - 1);
  }
  return sum + fold(one ^ place, two ^ kTwo);
}

// Whether two texts of the same length are equal; as words, for the same reason.
BKR_ALWAYS_INLINE bool equal_texts(const char *a, const char *b, std::size_t size) noexcept {
  const auto differ = [&]<class Word>(Word, std::size_t at) {
    return static_cast<uint64_t>(detail::load_word<Word>(a + at) ^ detail::load_word<Word>(b + at));
  };
  if (size >= 8) {
    uint64_t difference = differ(uint64_t{}, size - 8);
    for (std::size_t at = 0; at + 8 < size; at += 8) difference |= differ(uint64_t{}, at);
    return difference == 0;
  }
  if (size >= 4) return (differ(uint32_t{}, 0) | differ(uint32_t{}, size - 4)) == 0;
  for (std::size_t at = 0; at < size; ++at) {
    if (a[at] != b[at]) return false;
  }
  return true;
}

// As a == b, without a call for texts as short as names.
BKR_ALWAYS_INLINE bool same_text(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && equal_texts(a.data(), b.data(), a.size());
}

}  // namespace bkr::core

#endif  // BKR_BASE_HASH_H
