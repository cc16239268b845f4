// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_ATTN_KERNEL_SOFTMAX_H
#define CPU_ATTN_KERNEL_SOFTMAX_H

// Softmax over keys that come block by block: each row keeps the largest score so far and the sum of the
// exponentials relative to it, and what was summed up under a smaller maximum is scaled down
// (Milakov and Gimelshein, arXiv 1805.02867). All scores are in units of log2(e), so that exp becomes 2^x.

#include <cstdint>
#include <limits>
#include <numbers>

namespace cpu {

inline constexpr float kLog2e = std::numbers::log2e_v<float>;
inline constexpr float kLowest = -std::numeric_limits<float>::infinity();

struct RowState {
  float largest = kLowest;  // nothing seen yet
  float sum = 0.0f;
};

// One block of a row's scores: `visible_begin` up to `visible_end` are seen by the row, of `count`.
struct ScoreRow {
  float *scores;  // with room up to round_up(count)
  int64_t count;
  int64_t visible_begin;
  int64_t visible_end;
};

// Soft cap and ALiBi, on the visible scores in place.
//   softcap > 0: what comes in is score / softcap, what goes out softcap * tanh(it) in units of log2(e)
//   slope:       in units of log2(e); the first visible key is `distance` tokens behind the query (mostly negative)
void finish_scores(const ScoreRow &row, float softcap, float slope, int64_t distance);

// Turns the scores into weights (0 where not visible) and takes them into the state. Returns the factor by which
// what the row has summed up before is to be multiplied.
float take_in(const ScoreRow &row, RowState &state);

// Takes another state of the same row, over other keys, into `state`. What was summed up under each is to be multiplied
// by its factor. (arXiv 2501.01005, 2.2)
struct Factors {
  float mine, other;
};
Factors join(RowState &state, const RowState &other);

// log(sum exp(score)), natural; -inf if nothing was seen.
float log_of_sum(const RowState &state);

}  // namespace cpu

#endif  // CPU_ATTN_KERNEL_SOFTMAX_H
