// SPDX-License-Identifier: Apache-2.0
#include "softmax.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "common/simd.h"

namespace cpu {
namespace {

// What weights are relative to. As long as every score is -inf that is 0: exp(-inf - -inf) would be no number.
float reference_of(float largest) { return largest == kLowest ? 0.0f : largest; }

}  // namespace

void finish_scores(const ScoreRow &row, float softcap, float slope, int64_t distance) {
  const int64_t count = row.visible_end - row.visible_begin;
  Eigen::Map<Eigen::ArrayXf> scores(row.scores + row.visible_begin, count);
  if (softcap > 0.0f) scores = (softcap * kLog2e) * scores.tanh();
  if (slope != 0.0f) {
    for (int64_t i = 0; i < count; ++i) scores[i] += slope * static_cast<float>(distance + i);
  }
}

float take_in(const ScoreRow &row, RowState &state) {
  const int64_t begin = row.visible_begin / kLanes * kLanes;
  const int64_t end = round_up(row.visible_end);
  float *scores = row.scores;
  // Whole vectors: what they cover beside the visible scores becomes 2^-inf, exactly 0.
  std::fill(scores + begin, scores + row.visible_begin, kLowest);
  std::fill(scores + row.visible_end, scores + end, kLowest);

  Floats largest_lanes = splat(state.largest);
  for (int64_t i = begin; i < end; i += kLanes) largest_lanes = max(load(scores + i), largest_lanes);
  const float new_largest = largest(largest_lanes);
  const float finite_largest = reference_of(new_largest);

  Floats sum_lanes{};
  const Floats reference = splat(finite_largest);
  for (int64_t i = begin; i < end; i += kLanes) {
    const Floats weight = exp2(load(scores + i) - reference);
    store(scores + i, weight);
    sum_lanes += weight;
  }
  std::fill(scores, scores + begin, 0.0f);
  if (end < row.count) std::fill(scores + end, scores + row.count, 0.0f);

  const float factor = exp2(splat(state.largest - finite_largest))[0];
  state.sum = state.sum * factor + sum(sum_lanes);
  state.largest = new_largest;
  return factor;
}

Factors join(RowState &state, const RowState &other) {
  const float new_largest = std::max(state.largest, other.largest);
  const float reference = reference_of(new_largest);
  const Factors factors{exp2(splat(state.largest - reference))[0], exp2(splat(other.largest - reference))[0]};
  state.sum = state.sum * factors.mine + other.sum * factors.other;
  state.largest = new_largest;
  return factors;
}

float log_of_sum(const RowState &state) {
  if (state.sum == 0.0f) return kLowest;
  return static_cast<float>((double{state.largest} + std::log2(double{state.sum})) * std::numbers::ln2);
}

}  // namespace cpu
