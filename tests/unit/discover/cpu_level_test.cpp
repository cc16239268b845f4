// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "fixture.h"

namespace bkr::core::testing {
namespace {

TEST(CpuLevel, EmptyIsAlwaysMet) {
  EXPECT_TRUE(check_cpu_level(""));
  EXPECT_TRUE(check_cpu_level(" , "));
}

TEST(CpuLevel, EachOfOurOwnIsMetAloneAndTogether) {
  std::string all;
  for (const std::string &level : own_cpu_levels()) {
    EXPECT_TRUE(check_cpu_level(level)) << level;
    all += level + ", ";
  }
  EXPECT_TRUE(check_cpu_level(all));
}

TEST(CpuLevel, LevelsComeInOrderWithoutGaps) {
  const std::vector<std::string> &levels = own_cpu_levels();
  const std::vector<std::string> known = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
  ASSERT_LE(levels.size(), known.size());
  EXPECT_TRUE(std::equal(levels.begin(), levels.end(), known.begin()));
}

#if defined(__x86_64__) && defined(__GNUC__)
TEST(CpuLevel, AgreesWithTheCompilersOwnDetection) {
  const auto has = [](std::string_view level) {
    return std::find(own_cpu_levels().begin(), own_cpu_levels().end(), level) != own_cpu_levels().end();
  };
  EXPECT_EQ(has("x86-64-v2"), __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt"));
  EXPECT_EQ(has("x86-64-v3"),
            __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma"));
  EXPECT_EQ(has("x86-64-v4"), __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                                  __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                                  __builtin_cpu_supports("avx512cd"));
}
#endif

TEST(CpuLevel, UnknownWordIsARequirementThatIsNotMet) {
  for (const char *level : {"amx-bf16", "x86-64-v99", "x86-64-v3x", "X86-64-V2", "x86-64,quantum"}) {
    const auto met = check_cpu_level(level);
    ASSERT_FALSE(met) << level;
    EXPECT_EQ(met.error().status, BKR_WRONG_PLATFORM);
    EXPECT_EQ(met.error().stage, BKR_STAGE_CPU);
  }
  EXPECT_NE(check_cpu_level("x86-64,quantum").error().reason.find("'quantum'"), std::string::npos);
}

TEST(CpuLevel, HigherOnesRankHigher) {
  EXPECT_EQ(cpu_level_rank(""), 0);
  EXPECT_EQ(cpu_level_rank("amx-bf16"), 0);
  EXPECT_EQ(cpu_level_rank("x86-64"), 0);
  EXPECT_EQ(cpu_level_rank("x86-64-v2"), 2);
  EXPECT_EQ(cpu_level_rank("x86-64-v3"), 3);
  EXPECT_EQ(cpu_level_rank("amx-bf16,x86-64-v4"), 4);
  EXPECT_EQ(cpu_level_rank("not-x86-64-v4"), 0);
}

}  // namespace
}  // namespace bkr::core::testing
