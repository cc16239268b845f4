// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_COMMON_EXP_H
#define CPU_COMMON_EXP_H

// The functions of gates and decays on vectors, none of them from a library.

#include "simd.h"

namespace cpu {

inline constexpr float kLog2OfE = 1.44269504088896341f;

// Adding it to a float below 2^22 rounds that to a whole number n, and leaves n in the low bits.
inline constexpr float kRounder = 12582912.0f;  // 1.5 * 2^23

// 2^(n + f) for f in [-1/2, 1/2] and n + kRounder given, -126 <= n <= 127.
//
// A state that hardly fades is multiplied by this thousands of times, so that no error may lie on one side: 1 + f p(f)
// is exactly 1 at 0, which the shorter polynomial of exp2() is not, and within 5e-9 of 2^f (p interpolates at
// Chebyshev's nodes) before it is rounded.
inline Floats exp2_of_parts(Floats rounded, Floats f) {
  Floats p = splat(1.545308847e-4f);
  p = p * f + 1.339086325e-3f;
  p = p * f + 9.618082647e-3f;
  p = p * f + 5.550357114e-2f;
  p = p * f + 2.402265076e-1f;
  p = p * f + 6.931471880e-1f;
  p = p * f + 1.0f;
  Ints exponent;
  std::memcpy(&exponent, &rounded, sizeof exponent);
  Ints bits;
  std::memcpy(&bits, &p, sizeof bits);
  bits += exponent << 23;
  Floats power;
  std::memcpy(&power, &bits, sizeof power);
  return power;
}

// 2^x: exactly 0 below 2^-126, where denormals would begin, and infinite above 2^127.4. A NaN stays one.
inline Floats exp2_any(Floats x) {
  const Floats least = splat(-126.0f);
  const Floats most = splat(127.4f);
  const Floats clamped = x < least ? least : x;
  const Floats rounded = clamped + kRounder;
  const Floats power = exp2_of_parts(rounded, clamped - (rounded - kRounder));
  return x < least ? Floats{} : (x > most ? splat(__builtin_inff()) : power);
}

// e^x, 0 below e^-87 and infinite above e^88. x = n ln 2 + r, with ln 2 in two parts so that r keeps its digits where
// x is large.
inline Floats exp(Floats x) {
  const Floats least = splat(-87.0f);
  const Floats most = splat(88.0f);
  const Floats clamped = x < least ? least : (x > most ? most : x);
  const Floats rounded = clamped * kLog2OfE + kRounder;
  const Floats n = rounded - kRounder;
  const Floats r = (clamped - n * 0.693359375f) + n * 2.12194440e-4f;
  const Floats power = exp2_of_parts(rounded, r * kLog2OfE);
  return x < least ? Floats{} : (x > most ? splat(__builtin_inff()) : power);
}

inline Floats sigmoid(Floats x) { return 1.0f / (1.0f + exp(-x)); }
inline Floats silu(Floats x) { return x / (1.0f + exp(-x)); }

// log(1 + e^x) = max(x, 0) + log(1 + u) with u = e^-|x| <= 1, and log(1 + u) = 2 artanh(s) with s = u / (2 + u) <= 1/3:
// the series of artanh to s^15 (the next term is below 2e-9 of the sum). Small results keep all their digits. From 20
// on it is x itself.
inline Floats softplus(Floats x) {
  const Floats zero{};
  const Floats u = exp(x > zero ? -x : x);
  const Floats s = u / (2.0f + u);
  const Floats q = s * s;
  Floats p = splat(1.0f / 15.0f);
  p = p * q + 1.0f / 13.0f;
  p = p * q + 1.0f / 11.0f;
  p = p * q + 1.0f / 9.0f;
  p = p * q + 1.0f / 7.0f;
  p = p * q + 1.0f / 5.0f;
  p = p * q + 1.0f / 3.0f;
  p = p * q + 1.0f;
  return (x > zero ? x : zero) + 2.0f * s * p;
}

// A function of vectors on a row of which round_up(count) floats may be read and written.
template <class Fn>
inline void map_row(float *row, int64_t count, Fn &&fn) {
  for (int64_t i = 0; i < count; i += kLanes) store(row + i, fn(load(row + i)));
}

}  // namespace cpu

#endif  // CPU_COMMON_EXP_H
