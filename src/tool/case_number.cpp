// SPDX-License-Identifier: Apache-2.0
#include "case_number.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace bkr::tool {
namespace {

template <class T>
T load(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void store(T value, std::byte *to) {
  std::memcpy(to, &value, sizeof value);
}

// A binary floating-point format of 16 bits.
struct Format {
  int exponent_bits;
  int mantissa_bits;

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  int special() const { return (1 << exponent_bits) - 1; }  // the exponent of infinity and NaN
};
constexpr Format kHalf{5, 10};
constexpr Format kBfloat{8, 7};

double decode(Format format, uint16_t bits) {
  const double sign = (bits >> 15) != 0 ? -1.0 : 1.0;
  const int exponent = (bits >> format.mantissa_bits) & format.special();
  const int mantissa = bits & ((1 << format.mantissa_bits) - 1);
  if (exponent == format.special()) {
    return mantissa == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  }
  const int implied = exponent == 0 ? 0 : 1 << format.mantissa_bits;
  const int scale = (exponent == 0 ? 1 : exponent) - format.bias() - format.mantissa_bits;
  return sign * std::ldexp(implied + mantissa, scale);
}

uint16_t encode(Format format, double value) {
  const int sign = std::signbit(value) ? 0x8000 : 0;
  const int infinite = format.special() << format.mantissa_bits;
  if (std::isnan(value)) return static_cast<uint16_t>(infinite | 1 << (format.mantissa_bits - 1));
  const double magnitude = std::fabs(value);
  if (magnitude == 0.0) return static_cast<uint16_t>(sign);
  const int lowest = 1 - format.bias();  // exponent of the smallest normal number
  const int exponent = std::isinf(magnitude) ? 2 * format.special() : std::max(std::ilogb(magnitude), lowest);
  if (exponent > format.bias()) return static_cast<uint16_t>(sign | infinite);
  // The value in units of its last place; nearbyint rounds ties to even. A carry into the next exponent, also from
  // the denormal numbers or into infinity, comes out right, since the bits count on.
  const int units = static_cast<int>(std::nearbyint(std::ldexp(magnitude, format.mantissa_bits - exponent)));
  const int bits = ((exponent - lowest) << format.mantissa_bits) + units;
  return static_cast<uint16_t>(sign | bits);
}

}  // namespace

const std::vector<NumberType> &number_types() {
  static const std::vector<NumberType> types = {{"float32", {kDLFloat, 32, 1}, 4},
                                                {"float16", {kDLFloat, 16, 1}, 2},
                                                {"bfloat16", {kDLBfloat, 16, 1}, 2},
                                                {"int32", {kDLInt, 32, 1}, 4},
                                                {"int64", {kDLInt, 64, 1}, 8}};
  return types;
}

const NumberType *find_number_type(std::string_view name) {
  for (const NumberType &type : number_types()) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

const NumberType *find_number_type(DLDataType dtype) {
  for (const NumberType &type : number_types()) {
    if (type.dtype.code == dtype.code && type.dtype.bits == dtype.bits && dtype.lanes == 1) return &type;
  }
  return nullptr;
}

double read_number(DLDataType dtype, const std::byte *from) {
  if (is_whole(dtype)) return static_cast<double>(read_whole(dtype, from));
  if (dtype.code == kDLBfloat) return decode(kBfloat, load<uint16_t>(from));
  if (dtype.bits == 16) return decode(kHalf, load<uint16_t>(from));
  return static_cast<double>(load<float>(from));
}

void write_number(DLDataType dtype, double value, std::byte *to) {
  if (is_whole(dtype)) {
    write_whole(dtype, static_cast<int64_t>(value), to);
  } else if (dtype.code == kDLBfloat) {
    store(encode(kBfloat, value), to);
  } else if (dtype.bits == 16) {
    store(encode(kHalf, value), to);
  } else {
    store(static_cast<float>(value), to);
  }
}

int64_t read_whole(DLDataType dtype, const std::byte *from) {
  return dtype.bits == 32 ? load<int32_t>(from) : load<int64_t>(from);
}

void write_whole(DLDataType dtype, int64_t value, std::byte *to) {
  if (dtype.bits == 32) {
    store(static_cast<int32_t>(value), to);
  } else {
    store(value, to);
  }
}

}  // namespace bkr::tool
