// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <gtest/gtest.h>

#include <new>

#include "base/text.h"

namespace bkr::core {
namespace {

struct Lines {
  int count = 0;
  Log log{BKR_LOG_WARN, [](void *user, int32_t, const char *, std::size_t) { ++static_cast<Lines *>(user)->count; },
          this};
};

TEST(Log, WritesATextOnce) {
  Lines lines;
  for (int i = 0; i < 3; ++i) lines.log.write_once(BKR_LOG_ERR, "one");
  EXPECT_EQ(lines.count, 1);
  for (int i = 0; i < 3; ++i) lines.log.tell_once(BKR_LOG_ERR, [] { return std::string("two"); });
  EXPECT_EQ(lines.count, 2);
}

TEST(Log, MakesNoTextThatIsNotWanted) {
  Lines lines;
  lines.log.tell_once(BKR_LOG_INFO, []() -> std::string { throw std::bad_alloc(); });
  lines.log.tell_once(BKR_LOG_ERR, []() -> std::string { throw std::bad_alloc(); });  // and none is no failure
  EXPECT_EQ(lines.count, 0);
}

TEST(Log, RemembersTheLastThousandsOfTexts) {
  constexpr int kMany = 10000;
  Lines lines;
  for (int i = 0; i < kMany; ++i) lines.log.write_once(BKR_LOG_ERR, cat("at ", i));
  EXPECT_EQ(lines.count, kMany);
  for (int i = kMany - 1000; i < kMany; ++i) lines.log.write_once(BKR_LOG_ERR, cat("at ", i));
  EXPECT_EQ(lines.count, kMany);
  lines.log.write_once(BKR_LOG_ERR, "at 0");  // forgotten long ago
  EXPECT_EQ(lines.count, kMany + 1);
}

}  // namespace
}  // namespace bkr::core
