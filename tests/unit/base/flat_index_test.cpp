// SPDX-License-Identifier: Apache-2.0
#include "base/flat_index.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

namespace bkr::core {
namespace {

// Number n has the hash n * step.
void fill(FlatIndex &index, uint32_t count, uint64_t step) {
  for (uint32_t number = 0; number < count; ++number) {
    index.make_room(1, [&](uint32_t other) { return other * step; });
    index.add(number * step, number);
  }
}

std::multiset<uint32_t> candidates(const FlatIndex &index, uint64_t hash) {
  std::multiset<uint32_t> seen;
  index.find(hash, [&](uint32_t number) {
    seen.insert(number);
    return false;
  });
  return seen;
}

TEST(FlatIndex, WhatIsEmptyHoldsNothing) {
  const FlatIndex index;
  EXPECT_EQ(index.find(0, [](uint32_t) { return true; }), FlatIndex::kNone);
}

// Hashes that fill all of a table, that differ in their lowest or highest bits alone, and that are one and the same.
TEST(FlatIndex, EachNumberIsSeenOnceUnderItsHashWhateverTheHashesAre) {
  constexpr uint32_t kCount = 700;
  for (const uint64_t step :
       {uint64_t{0x9E3779B97F4A7C15u}, uint64_t{1}, uint64_t{1} << 8, uint64_t{1} << 56, uint64_t{0}}) {
    FlatIndex index;
    fill(index, kCount, step);
    for (uint32_t number = 0; number < kCount; ++number) {
      ASSERT_EQ(index.find(number * step, [&](uint32_t found) { return found == number; }), number) << step;
      ASSERT_EQ(candidates(index, number * step).count(number), 1u) << step;
    }
  }
}

TEST(FlatIndex, NumbersAsLargeAsItTakesComeBack) {
  FlatIndex index;
  const std::vector<uint32_t> numbers = {0, 255, 256, 65535, 65536, FlatIndex::kMaxNumber};
  index.make_room(numbers.size(), [](uint32_t) { return uint64_t{0}; });
  for (const uint32_t number : numbers) index.add(number * uint64_t{0x9E3779B97F4A7C15u}, number);
  for (const uint32_t number : numbers) {
    EXPECT_EQ(index.find(number * uint64_t{0x9E3779B97F4A7C15u}, [&](uint32_t found) { return found == number; }),
              number);
  }
}

TEST(FlatIndex, ReadersFindWhatWasThereWhileAWriterAdds) {
  constexpr uint32_t kThere = 10;
  constexpr uint32_t kCount = 20000;
  constexpr uint64_t kStep = 0x9E3779B97F4A7C15u;
  FlatIndex index;
  fill(index, kThere, kStep);
  std::atomic<bool> done{false};
  std::atomic<int> missed{0};
  std::thread reader([&] {
    while (!done) {
      for (uint32_t number = 0; number < kThere; ++number) {
        if (index.find(number * kStep, [&](uint32_t found) { return found == number; }) != number) ++missed;
      }
    }
  });
  for (uint32_t number = kThere; number < kCount; ++number) {
    index.make_room(1, [&](uint32_t other) { return other * kStep; });
    index.add(number * kStep, number);
  }
  done = true;
  reader.join();
  EXPECT_EQ(missed, 0);
}

}  // namespace
}  // namespace bkr::core
