// SPDX-License-Identifier: Apache-2.0
#include "merge.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cpu {
namespace {

constexpr float kNothing = -std::numeric_limits<float>::infinity();  // the lse of a part that saw no key

struct Weights {
  float a, b;
  float lse;
};

// exp(lse) of each part relative to the larger one, over the sum of both.
Weights weigh(float lse_a, float lse_b) {
  if (lse_a == kNothing && lse_b == kNothing) return {0.0f, 0.0f, kNothing};
  const float largest = std::max(lse_a, lse_b);
  const float a = std::exp(lse_a - largest);
  const float b = std::exp(lse_b - largest);
  return {a / (a + b), b / (a + b), largest + std::log(a + b)};
}

template <class E>
void merge_row(const std::byte *from_a, const std::byte *from_b, Weights weights, int64_t size, std::byte *into) {
  constexpr int64_t kPiece = 64;
  const E *a = reinterpret_cast<const E *>(from_a);
  const E *b = reinterpret_cast<const E *>(from_b);
  E *to = reinterpret_cast<E *>(into);
  float piece_a[kPiece];
  float piece_b[kPiece];
  for (int64_t at = 0; at < size; at += kPiece) {
    const int64_t count = std::min(kPiece, size - at);
    widen_row(a + at, count, piece_a);
    widen_row(b + at, count, piece_b);
    // A part without weight may hold anything, and 0 times infinity is no number.
    if (weights.a == 0.0f) std::fill_n(piece_a, count, 0.0f);
    if (weights.b == 0.0f) std::fill_n(piece_b, count, 0.0f);
    for (int64_t i = 0; i < count; ++i) piece_a[i] = piece_a[i] * weights.a + piece_b[i] * weights.b;
    narrow_row(piece_a, count, to + at);
  }
}

void merge_token(const Merge &merge, int64_t token) {
  with_element(merge.to.out.element, [&](auto zero) {
    for (int64_t head = 0; head < merge.heads; ++head) {
      const Weights weights = weigh(merge.a.lse(head, token), merge.b.lse(head, token));
      merge_row<decltype(zero)>(merge.a.out.row(token, head), merge.b.out.row(token, head), weights, merge.head_size,
                                merge.to.out.row(token, head));
      if (merge.to.lse) merge.to.lse(head, token) = weights.lse;
    }
  });
}

}  // namespace

void run(const Merge &merge, const bkr::threads &threads) {
  constexpr int64_t kTokens = 16;  // of a task
  const int64_t tasks = (merge.tokens + kTokens - 1) / kTokens;
  threads.for_each(tasks, threads.worker_count(), [&](int64_t task, int64_t) {
    const int64_t end = std::min(merge.tokens, (task + 1) * kTokens);
    for (int64_t token = task * kTokens; token < end; ++token) merge_token(merge, token);
  });
}

}  // namespace cpu
