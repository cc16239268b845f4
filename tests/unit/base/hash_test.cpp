// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace bkr::core {
namespace {

TEST(Hash, TellsTextsOfEveryLengthApart) {
  // Texts that differ in one byte, at any place and length, must not meet in 64 bits.
  std::set<uint64_t> seen;
  std::size_t count = 0;
  for (std::size_t length = 0; length <= 70; ++length) {
    std::string text(length, 'A');
    seen.insert(hash_text(text));
    ++count;
    for (std::size_t at = 0; at < length; ++at) {
      text[at] = 'B';
      seen.insert(hash_text(text));
      ++count;
      text[at] = 'A';
    }
  }
  EXPECT_EQ(seen.size(), count);
}

TEST(Hash, SpreadsNumberedNamesOverASmallTable) {
  // What FlatIndex takes of the hash: bits from 8 up for the place.
  constexpr std::size_t kSlots = 2048;
  std::size_t most = 0;
  std::size_t count[kSlots] = {};
  for (int i = 0; i < 1000; ++i) {
    most = std::max(most, ++count[hash_text("DYNAMIC_BACKEND_" + std::to_string(i)) >> 8 & (kSlots - 1)]);
  }
  EXPECT_LE(most, 6u) << "a random function puts 6 or fewer of 1,000 into one of 2,048";
}

// Every length up to some words, and one byte that differs at every place.
TEST(Hash, EqualTextsLooksAtEveryByteAndNoOther) {
  for (std::size_t size = 0; size <= 40; ++size) {
    const std::string text(size, 'a');
    const std::string more = text + "x";
    const std::string other = text + "y";
    ASSERT_TRUE(equal_texts(more.data(), other.data(), size)) << size;
    for (std::size_t at = 0; at < size; ++at) {
      std::string changed = text;
      changed[at] = 'b';
      ASSERT_FALSE(equal_texts(text.data(), changed.data(), size)) << size << ": " << at;
      ASSERT_NE(hash_text(text), hash_text(changed)) << size << ": " << at;
    }
  }
}

}  // namespace
}  // namespace bkr::core
