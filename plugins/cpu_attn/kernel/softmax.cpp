// SPDX-License-Identifier: Apache-2.0
#include "softmax.h"

#include <Eigen/Core>
#include <algorithm>

#include "common/simd.h"

namespace cpu {

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
  if (new_largest == kLowest) {  // every score is -inf: exp(-inf - -inf) would be no number
    std::fill(scores, scores + round_up(row.count), 0.0f);
    return 1.0f;
  }

  Floats sum_lanes{};
  const Floats reference = splat(new_largest);
  for (int64_t i = begin; i < end; i += kLanes) {
    const Floats weight = exp2(load(scores + i) - reference);
    store(scores + i, weight);
    sum_lanes += weight;
  }
  std::fill(scores, scores + begin, 0.0f);
  if (end < row.count) std::fill(scores + end, scores + row.count, 0.0f);

  const float factor = exp2(splat(state.largest - new_largest))[0];
  state.sum = state.sum * factor + sum(sum_lanes);
  state.largest = new_largest;
  return factor;
}

}  // namespace cpu
