// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_COMMON_SIMD_H
#define CPU_COMMON_SIMD_H

// A vector of floats as wide as the level this file is compiled for, and the few functions on it that softmax and
// the products of few rows need. Operators (+ * < ?:) are the compiler's own, lane by lane.

#include <cstdint>
#include <cstring>

namespace cpu {

#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
inline constexpr int kVectorBytes = 32;
#else
inline constexpr int kVectorBytes = 16;
#endif
inline constexpr int64_t kLanes = kVectorBytes / 4;

typedef float Floats __attribute__((vector_size(kVectorBytes)));
typedef int32_t Ints __attribute__((vector_size(kVectorBytes)));

inline Floats splat(float value) { return value - Floats{}; }

inline Floats load(const float *from) {
  Floats vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}

inline void store(float *to, Floats vector) { std::memcpy(to, &vector, sizeof vector); }

inline Floats max(Floats a, Floats b) { return a > b ? a : b; }

// The smallest multiple of kLanes that is not below n.
inline constexpr int64_t round_up(int64_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

template <class Combine>
inline float reduce(Floats vector, Combine combine) {
  float lane[kLanes];
  std::memcpy(lane, &vector, sizeof lane);
  for (int64_t half = kLanes / 2; half > 0; half /= 2) {
    for (int64_t i = 0; i < half; ++i) lane[i] = combine(lane[i], lane[i + half]);
  }
  return lane[0];
}

inline float sum(Floats vector) {
  return reduce(vector, [](float a, float b) { return a + b; });
}

inline float largest(Floats vector) {
  return reduce(vector, [](float a, float b) { return a > b ? a : b; });
}

// The sums of several vectors' lanes: as many at a time as fit side by side, which takes half the additions of one
// after the other.
template <int N>
inline void sum_each(const Floats *vectors, float *sums) {
  typedef float Quad __attribute__((vector_size(16)));
  int i = 0;
  for (; i + 4 <= N; i += 4) {
    Quad quad[4];
    for (int v = 0; v < 4; ++v) {
      Quad part[kLanes / 4];
      std::memcpy(part, &vectors[i + v], sizeof part);
      quad[v] = part[0];
      for (int64_t p = 1; p < kLanes / 4; ++p) quad[v] += part[p];
    }
    const Quad a = __builtin_shufflevector(quad[0], quad[1], 0, 4, 1, 5) +
                   __builtin_shufflevector(quad[0], quad[1], 2, 6, 3, 7);  // 0 1 0 1
    const Quad b = __builtin_shufflevector(quad[2], quad[3], 0, 4, 1, 5) +
                   __builtin_shufflevector(quad[2], quad[3], 2, 6, 3, 7);  // 2 3 2 3
    const Quad total = __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
    std::memcpy(sums + i, &total, sizeof total);
  }
  for (; i < N; ++i) sums[i] = sum(vectors[i]);
}

// 2^x for x <= 0, to 2e-7 of the result; exactly 0 below 2^-126 (-inf included), where denormals would begin and
// slow every product that they enter. A NaN stays one.
//
// x = n + f, n whole and f in [-1/2, 1/2]: adding 1.5 * 2^23 rounds x to n and leaves n in the low bits. 2^f is the
// polynomial of degree 5 with the least relative error on that interval (Remez: 7.5e-8).
inline Floats exp2(Floats x) {
  const Floats smallest = splat(-126.0f);
  const Floats magic = splat(12582912.0f);
  const Floats clamped = x < smallest ? smallest : x;
  const Floats shifted = clamped + magic;
  const Floats f = clamped - (shifted - magic);
  Floats p = splat(1.327647217e-3f);
  p = p * f + 9.675541331e-3f;
  p = p * f + 5.550713273e-2f;
  p = p * f + 2.402211972e-1f;
  p = p * f + 6.931469671e-1f;
  p = p * f + 1.000000072f;
  Ints exponent;
  std::memcpy(&exponent, &shifted, sizeof exponent);
  exponent <<= 23;
  Ints bits;
  std::memcpy(&bits, &p, sizeof bits);
  bits += exponent;
  Floats power;
  std::memcpy(&power, &bits, sizeof power);
  return x < smallest ? Floats{} : power;
}

}  // namespace cpu

#endif  // CPU_COMMON_SIMD_H
