// SPDX-License-Identifier: Apache-2.0
#include "case_number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace bkr::tool {
namespace {

constexpr DLDataType kHalf{kDLFloat, 16, 1};
constexpr DLDataType kBfloat{kDLBfloat, 16, 1};

uint16_t bits(DLDataType type, double value) {
  std::byte bytes[2];
  write_number(type, value, bytes);
  uint16_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

double value(DLDataType type, uint16_t word) {
  std::byte bytes[2];
  std::memcpy(bytes, &word, sizeof word);
  return read_number(type, bytes);
}

TEST(CaseNumber, EveryPatternOf16BitsComesBack) {
  for (const DLDataType type : {kHalf, kBfloat}) {
    for (uint32_t word = 0; word < 0x10000; ++word) {
      const double number = value(type, static_cast<uint16_t>(word));
      if (std::isnan(number)) {
        EXPECT_TRUE(std::isnan(value(type, bits(type, number))));
      } else {
        ASSERT_EQ(bits(type, number), word);
      }
    }
  }
}

TEST(CaseNumber, HasTheValuesOfTheStandard) {
  EXPECT_EQ(value(kHalf, 0x3c00), 1.0);
  EXPECT_EQ(value(kHalf, 0x7bff), 65504.0);
  EXPECT_EQ(value(kHalf, 0x0001), std::ldexp(1.0, -24));
  EXPECT_EQ(value(kBfloat, 0x3f80), 1.0);
  EXPECT_EQ(value(kBfloat, 0xc049), -3.140625);
}

TEST(CaseNumber, RoundsToNearestTiesToEven) {
  const double last = std::ldexp(1.0, -10);  // float16's last place at 1
  EXPECT_EQ(bits(kHalf, 1.0 + last / 2), 0x3c00);
  EXPECT_EQ(bits(kHalf, 1.0 + last * 1.5), 0x3c02);
  EXPECT_EQ(bits(kHalf, 1.0 + last * 0.5000001), 0x3c01);
  EXPECT_EQ(bits(kHalf, 65519.0), 0x7bff);
  EXPECT_EQ(bits(kHalf, 65520.0), 0x7c00) << "rounded up to infinity";
  EXPECT_EQ(bits(kHalf, -1e300), 0xfc00);
  EXPECT_EQ(bits(kHalf, std::ldexp(1.0, -25)), 0x0000);
  EXPECT_EQ(bits(kHalf, std::ldexp(1.5, -25)), 0x0001);
  EXPECT_EQ(bits(kHalf, std::ldexp(1.0, -14) * 0.99999), 0x0400) << "carried out of the denormal numbers";
  EXPECT_EQ(bits(kBfloat, -0.0), 0x8000);
}

}  // namespace
}  // namespace bkr::tool
