// SPDX-License-Identifier: Apache-2.0
#include "panel_softmax.h"

#include <Eigen/Core>

namespace cpu {
namespace {

Ints load_whole(const int32_t *from) {
  Ints whole;
  std::memcpy(&whole, from, sizeof whole);
  return whole;
}

// Scores that are not seen become -inf, and so weights of 0.
void hide_unseen(float *scores, int64_t count, const PanelRows &rows) {
  for (int64_t v = 0; v < kPanel; v += kLanes) {
    const Ints begin = load_whole(rows.begin() + v);
    const Ints end = load_whole(rows.end() + v);
    Ints key{};
    for (int64_t j = 0; j < count; ++j) {
      float *at = scores + j * kPanel + v;
      const Ints seen = (key >= begin) & (key < end);
      store(at, seen ? load(at) : splat(kLowest));
      key += 1;
    }
  }
}

}  // namespace

Visible PanelRows::narrow() {
  int32_t begin = INT32_MAX;
  int32_t end = 0;
  for (int64_t lane = 0; lane < kPanel; ++lane) {
    if (begin_[lane] >= end_[lane]) continue;
    begin = std::min(begin, begin_[lane]);
    end = std::max(end, end_[lane]);
  }
  if (end == 0) return {0, 0};
  for (int64_t lane = 0; lane < kPanel; ++lane) {
    begin_[lane] -= begin;
    end_[lane] -= begin;
  }
  return {begin, end};
}

Visible PanelRows::seen_by_all() const {
  return {*std::max_element(begin_, begin_ + kPanel), *std::min_element(end_, end_ + kPanel)};
}

void cap_scores(float *scores, int64_t count, float softcap) {
  Eigen::Map<Eigen::ArrayXf> all(scores, count);
  all = (softcap * kLog2e) * all.tanh();
}

bool take_in(float *scores, int64_t count, const PanelRows &rows, PanelState &state, float *factors) {
  if (!rows.all_seen(count)) hide_unseen(scores, count, rows);
  Floats before[2];
  Floats largest[2];
  for (int64_t v = 0; v < 2; ++v) largest[v] = before[v] = load(state.largest + v * kLanes);
  for (int64_t j = 0; j < count; ++j) {
    for (int64_t v = 0; v < 2; ++v) largest[v] = max(load(scores + j * kPanel + v * kLanes), largest[v]);
  }
  Floats reference[2];
  Floats total[2];
  Ints changed{};
  for (int64_t v = 0; v < 2; ++v) {
    // As long as every score is -inf, 0: exp(-inf - -inf) would be no number.
    reference[v] = largest[v] == splat(kLowest) ? Floats{} : largest[v];
    const Floats factor = exp2(before[v] - reference[v]);
    changed |= factor != splat(1.0f);
    total[v] = load(state.sum + v * kLanes) * factor;
    store(factors + v * kLanes, factor);
  }
  for (int64_t j = 0; j < count; ++j) {
    for (int64_t v = 0; v < 2; ++v) {
      float *at = scores + j * kPanel + v * kLanes;
      const Floats weight = exp2(load(at) - reference[v]);
      store(at, weight);
      total[v] += weight;
    }
  }
  for (int64_t v = 0; v < 2; ++v) {
    store(state.largest + v * kLanes, largest[v]);
    store(state.sum + v * kLanes, total[v]);
  }
  int32_t any = 0;
  for (int64_t lane = 0; lane < kLanes; ++lane) any |= changed[lane];
  return any == 0;
}

}  // namespace cpu
