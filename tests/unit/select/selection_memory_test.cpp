// SPDX-License-Identifier: Apache-2.0
#include "select/selection_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace bkr::core {
namespace {

std::shared_ptr<const Selection> some() { return std::make_shared<const Selection>(Selection{nullptr, {}, {}}); }

TEST(SelectionMemory, KeepsASelectionForItsEpoch) {
  SelectionMemory memory;
  const auto kept = some();
  EXPECT_EQ(memory.find("a", 1), nullptr);
  memory.keep("a", 1, kept);
  EXPECT_EQ(memory.find("a", 1), kept);
  EXPECT_EQ(memory.find("b", 1), nullptr);
  EXPECT_EQ(memory.find("a", 2), nullptr);
}

TEST(SelectionMemory, ANewEpochEndsAllOfTheOld) {
  SelectionMemory memory;
  const auto old = some();
  memory.keep("a", 1, old);
  memory.keep("b", 2, some());
  EXPECT_EQ(memory.find("a", 1), nullptr);
  EXPECT_EQ(memory.find("a", 2), nullptr);
  EXPECT_EQ(old.use_count(), 1);
  memory.keep("c", 1, some());  // late: the registry has changed while it was made
  EXPECT_EQ(memory.find("c", 1), nullptr);
  EXPECT_NE(memory.find("b", 2), nullptr);
}

TEST(SelectionMemory, IsBoundedAndForgetsTheOldest) {
  SelectionMemory memory;
  std::vector<std::weak_ptr<const Selection>> all;
  for (int i = 0; i < 10000; ++i) {
    const auto one = some();
    all.push_back(one);
    memory.keep(std::to_string(i), 1, one);
    EXPECT_EQ(memory.find(std::to_string(i), 1), one);
  }
  const auto alive = std::count_if(all.begin(), all.end(), [](const auto &one) { return !one.expired(); });
  EXPECT_LE(alive, 256);
  EXPECT_GE(alive, 128);
  EXPECT_EQ(memory.find("0", 1), nullptr);
}

}  // namespace
}  // namespace bkr::core
