// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_ATTN_KERNEL_PANEL_H
#define CPU_ATTN_KERNEL_PANEL_H

// Matrix products of many query rows. The rows stand side by side, as many as two vectors hold: a panel. All that is
// kept for each row of a panel (its query, its scores, what it has summed up) is stored [anything][kPanel], so that
// both products of attention have the same form,
//     scores [keys][kPanel]       = key     [keys][head_size] . query   [head_size][kPanel]
//     out    [value_size][kPanel] += value^T [value_size][keys] . weights [keys][kPanel]
// with keys and values read as they come, one element at a time for the whole panel; softmax works on the rows of a
// panel lane by lane, without a sum across a vector.

#include <algorithm>
#include <cstdint>

#include "common/simd.h"

namespace cpu {

inline constexpr int64_t kPanel = 2 * kLanes;

// A matrix of floats with free strides: element (i, k) at data + i * row_stride + k * step.
struct Strided {
  const float *data;
  int64_t row_stride;
  int64_t step;
};

namespace panel {

// As many rows at a time as there are registers for two vectors of sums each, beside what is read.
inline constexpr int kRows = kVectorBytes == 64 ? 12 : 6;

// On its own, so that all registers are there for its loop.
template <int M, bool kAdd>
[[gnu::noinline]] void tile(const float *a, int64_t row_stride, int64_t step, int64_t depth, const float *b,
                            float *to) {
  Floats total[M][2];
#pragma GCC unroll 12
  for (int i = 0; i < M; ++i) {
    for (int v = 0; v < 2; ++v) total[i][v] = kAdd ? load(to + i * kPanel + v * kLanes) : Floats{};
  }
  for (int64_t k = 0; k < depth; ++k) {
    const Floats b0 = load(b);
    const Floats b1 = load(b + kLanes);
#pragma GCC unroll 12
    for (int i = 0; i < M; ++i) {
      const Floats x = splat(a[i * row_stride]);
      total[i][0] += x * b0;
      total[i][1] += x * b1;
    }
    a += step;
    b += kPanel;
  }
#pragma GCC unroll 12
  for (int i = 0; i < M; ++i) {
    for (int v = 0; v < 2; ++v) store(to + i * kPanel + v * kLanes, total[i][v]);
  }
}

template <bool kAdd, class Fn>
inline void rows(Strided a, int64_t count, int64_t depth, const float *b, float *to, const Fn &between) {
  for (int64_t i = 0; i < count;) {
    const int64_t left = count - i;
    const float *from = a.data + i * a.row_stride;
    float *into = to + i * kPanel;
    // No tile of one or two rows if two of four do as well: few sums leave the multipliers waiting.
    const bool two_of_four = left == 8;
    if (left >= kRows && !two_of_four) {
      tile<kRows, kAdd>(from, a.row_stride, a.step, depth, b, into);
      i += kRows;
    } else if (left >= 4) {
      tile<4, kAdd>(from, a.row_stride, a.step, depth, b, into);
      i += 4;
    } else {
      tile<1, kAdd>(from, a.row_stride, a.step, depth, b, into);
      i += 1;
    }
    between();
  }
}

inline constexpr int64_t kDepth = 256;  // of b, so that it stays in the first cache level

}  // namespace panel

// How many tiles there are in a product, about.
inline int64_t tiles_of(int64_t count, int64_t depth) {
  return (count + panel::kRows - 1) / panel::kRows * ((depth + panel::kDepth - 1) / panel::kDepth);
}

// to [count][kPanel] = a [count][depth] . b [depth][kPanel], or added to what is there. Calls between() after each
// tile.
template <class Fn>
inline void multiply_panel(Strided a, int64_t count, int64_t depth, const float *b, bool add, float *to,
                           const Fn &between) {
  using panel::kDepth;
  for (int64_t k = 0; k < depth; k += kDepth) {
    const Strided part{a.data + k * a.step, a.row_stride, a.step};
    const int64_t some = std::min(kDepth, depth - k);
    if (add || k > 0) {
      panel::rows<true>(part, count, some, b + k * kPanel, to, between);
    } else {
      panel::rows<false>(part, count, some, b + k * kPanel, to, between);
    }
  }
}

}  // namespace cpu

#endif  // CPU_ATTN_KERNEL_PANEL_H
