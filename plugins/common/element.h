// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_COMMON_ELEMENT_H
#define CPU_COMMON_ELEMENT_H

// The three element types, and how they become float32 and come back. They are widened where they are read, so
// that all arithmetic is in float32; fp16 and bf16 then cost half the memory traffic and little else.

#if defined(__F16C__)
#include <immintrin.h>
#endif

#include <Eigen/Core>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simd.h"

namespace cpu {

enum class Element : uint8_t { float32, float16, bfloat16 };

using Half = Eigen::half;
using Bfloat = Eigen::bfloat16;

inline int64_t size_of(Element element) { return element == Element::float32 ? 4 : 2; }

// Calls fn with a value of the element's C++ type: with_element(e, [&](auto zero) { using E = decltype(zero); … }).
template <class Fn>
inline auto with_element(Element element, Fn &&fn) {
  switch (element) {
    case Element::float16:
      return fn(Half{});
    case Element::bfloat16:
      return fn(Bfloat{});
    case Element::float32:
      break;
  }
  return fn(0.0f);
}

typedef uint16_t Words __attribute__((vector_size(kVectorBytes / 2)));

inline Floats as_floats(Ints bits) {
  Floats vector;
  std::memcpy(&vector, &bits, sizeof vector);
  return vector;
}

inline Ints load_words(const void *from) {
  Words words;
  std::memcpy(&words, from, sizeof words);
  return __builtin_convertvector(words, Ints);
}

// kLanes elements as floats.
inline Floats widen(const float *from) { return load(from); }

inline Floats widen(const Bfloat *from) { return as_floats(load_words(from) << 16); }  // a float's upper half

inline Floats widen(const Half *from) {
#if defined(__AVX512F__)
  return (Floats)_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(from)));
#elif defined(__F16C__)
  return (Floats)_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(from)));
#else
  // Exponent and mantissa moved into a float's place are the value times 2^-112, denormals included. Infinity and
  // NaN, which then look like 2^16 and above, get a float's largest exponent.
  const Ints words = load_words(from);
  const Ints magnitude = (words & 0x7fff) << 13;
  const Ints special = magnitude >= 0x7c00 << 13;
  const Floats scaled = as_floats(magnitude) * 0x1p112f;
  Ints bits;
  std::memcpy(&bits, &scaled, sizeof bits);
  bits |= special & 0x7f800000;
  bits |= (words & 0x8000) << 16;
  return as_floats(bits);
#endif
}

// A row of any of the types as floats.
template <class E>
inline void widen_row(const E *from, int64_t count, float *to) {
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(to + i, widen(from + i));
  for (; i < count; ++i) to[i] = static_cast<float>(from[i]);
}

// Floats as a row of any of the types: rounded to nearest, ties to even.
template <class E>
inline void narrow_row(const float *from, int64_t count, E *to) {
  Eigen::Map<Eigen::Array<E, Eigen::Dynamic, 1>>(to, count) =
      Eigen::Map<const Eigen::Array<float, Eigen::Dynamic, 1>>(from, count).template cast<E>();
}

}  // namespace cpu

#endif  // CPU_COMMON_ELEMENT_H
