// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "few_products.h"
#include "task.h"

namespace cpu {
namespace {

constexpr int64_t kKeys = 256;  // that are worked on at a time

// Fewer if they are long and read twice, as keys and as values.
int64_t keys_at_a_time(const Attention &a) { return a.values_in_keys ? 64 : kKeys; }

class FewRows {
 public:
  FewRows(const TaskView &task, float *memory, const Partial &result)
      : task_(task),
        result_(result),
        query_{memory, skewed(task.a.head_size)},
        scores_{memory + kFewRows * query_.stride, skewed(kKeys)} {}

  void run() {
    for (int64_t r = 0; r < task_.rows; ++r) {
      task_.read_query(r, r, query_.row(r));
      result_.states[r] = task_.first_state(r);
      std::fill_n(result_.out.row(r), task_.a.value_head_size, 0.0f);
    }
    const auto [begin, end] = task_.task.keys;
    const int64_t step = keys_at_a_time(task_.a);
    for (int64_t key = begin; key < end; key += step) take_in_keys(key, std::min(step, end - key));
  }

 private:
  void take_in_keys(int64_t first, int64_t count) {
    const Tokens values = task_.value_tokens(first, count);
    scores_of_few(query_, task_.rows, task_.key_tokens(first, count), scores_);
    bool all_seen = true;
    for (int64_t r = 0; r < task_.rows; ++r) {
      const Visible visible = task_.visible_part(r, first, count);
      all_seen = all_seen && visible.begin == 0 && visible.end == count;
      weigh_row(r, first, count, visible);
    }
    if (all_seen || all_finite(values)) {
      add_values_of_few(scores_, task_.rows, values, result_.out);
    } else {
      add_values_row_by_row(values);
    }
  }

  void weigh_row(int64_t r, int64_t first, int64_t count, Visible visible) {
    float *scores = scores_.row(r);
    if (visible.begin >= visible.end) {
      std::fill_n(scores, count, 0.0f);
      return;
    }
    const ScoreRow row{scores, count, visible.begin, visible.end};
    const float slope = task_.slope(r);
    if (task_.a.softcap > 0.0f || slope != 0.0f) {
      finish_scores(row, task_.a.softcap, slope, first + visible.begin - task_.position(r));
    }
    const float factor = take_in(row, result_.states[r]);
    if (factor != 1.0f) {
      float *out = result_.out.row(r);
      for (int64_t i = 0; i < task_.a.value_head_size; ++i) out[i] *= factor;
    }
  }

  // A weight of 0 does not silence a value that is infinite or no number. Where some row must not see such a value,
  // each row takes in only what it sees.
  void add_values_row_by_row(const Tokens &values) {
    for (int64_t r = 0; r < task_.rows; ++r) {
      const Visible visible = task_.visible_part(r, values.first, values.count);
      if (visible.begin >= visible.end) continue;
      Tokens seen = values;
      seen.first += visible.begin;
      seen.count = visible.end - visible.begin;
      add_values_of_few({scores_.row(r) + visible.begin, scores_.stride}, 1, seen,
                        {result_.out.row(r), result_.out.stride});
    }
  }

  const TaskView &task_;
  const Partial &result_;
  const Block query_, scores_;
};

}  // namespace

int64_t floats_for_few(const Attention &a) { return kFewRows * (skewed(a.head_size) + skewed(kKeys)); }

void sum_few(const TaskView &task, float *memory, const Partial &result) { FewRows(task, memory, result).run(); }

}  // namespace cpu
