// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_KERNELS_COMPARE_OUT_H
#define BKR_TESTS_KERNELS_COMPARE_OUT_H

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "attention_reference.h"
#include "strided_tensor.h"

namespace bkr::test {

// Half a unit in the last place, relative: what rounding the result once may cost.
inline double rounding(std::string_view dtype) {
  if (dtype == "float16") return std::ldexp(1.0, -11);
  return dtype == "bfloat16" ? std::ldexp(1.0, -8) : std::ldexp(1.0, -24);
}

// How far a result computed in float32 may be from the reference, in float32's unit u = 2^-24.
//
// A score is a sum of D products and known to some u of its terms: its error e moves every weight by a factor of
// 1 ± e. A handful of u of the largest score is what a blocked sum makes of it (the worst case, D u, does not occur
// with random signs). The sums over the keys add u for each block of them, 2^x adds 3 u. All of it acts on values no
// larger than largest_value; then the result is rounded to its type (half a denormal's place at least).
inline double allowed_error(const Reference &reference, double expected, std::string_view dtype) {
  const double u = std::ldexp(1.0, -24);
  const double scores = 8.0 * reference.largest_score;
  const double sums = 16.0 + static_cast<double>(reference.most_keys) / 64.0;
  return u * (scores + sums) * reference.largest_value + rounding(dtype) * std::fabs(expected) + std::ldexp(1.0, -25);
}

// Every element of out against the reference.
inline void expect_out(StridedTensor &out, const Reference &reference, const std::string &what = {}) {
  const int64_t heads = out.size(1);
  const int64_t size = out.size(2);
  for (int64_t t = 0; t < out.size(0); ++t) {
    for (int64_t h = 0; h < heads; ++h) {
      for (int64_t d = 0; d < size; ++d) {
        const double expected = reference.out[static_cast<std::size_t>((t * heads + h) * size + d)];
        const double actual = out.at({t, h, d});
        // Not ASSERT_NEAR: a NaN must fail as well, and the first fault is enough.
        if (std::fabs(actual - expected) <= allowed_error(reference, expected, out.dtype())) continue;
        FAIL() << what << " out[" << t << "," << h << "," << d << "] is " << actual << ", reference " << expected
               << ", allowed " << allowed_error(reference, expected, out.dtype());
      }
    }
  }
}

}  // namespace bkr::test

#endif  // BKR_TESTS_KERNELS_COMPARE_OUT_H
