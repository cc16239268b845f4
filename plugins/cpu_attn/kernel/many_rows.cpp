// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "panel.h"
#include "panel_softmax.h"
#include "task.h"

namespace cpu {
namespace {

// Keys that are worked on at a time: as many as stay in the second cache level beside the panels, whose scores stay in
// the first.
int64_t keys_at_a_time(const Attention &a) {
  constexpr int64_t kElements = 256 * 128;
  constexpr int64_t kStep = 48;  // a multiple of a tile's rows
  return std::clamp<int64_t>(kElements / std::max(a.head_size, a.value_head_size) / kStep, 2, 5) * kStep;
}

int64_t panels_of(int64_t rows) { return (rows + kPanel - 1) / kPanel; }

// Where things are in the scratch memory.
struct Layout {
  Layout(const Attention &a, int64_t rows)
      : panels(panels_of(rows)),
        keys(keys_at_a_time(a)),
        query(a.head_size * kPanel),
        out(a.value_head_size * kPanel),
        key_stride(skewed(a.head_size)),
        value_stride(a.values_in_keys ? key_stride : skewed(a.value_head_size)),
        copies(keys * (key_stride + (a.values_in_keys ? 0 : value_stride))),
        row(skewed(std::max(a.head_size, a.value_head_size))) {}

  int64_t floats() const { return panels * (query + out) + keys * kPanel + copies + row; }

  int64_t panels;
  int64_t keys;        // at a time
  int64_t query, out;  // of one panel
  int64_t key_stride, value_stride;
  int64_t copies;
  int64_t row;
};

class ManyRows {
 public:
  ManyRows(const TaskView &task, float *memory, const Partial &result)
      : task_(task),
        result_(result),
        layout_(task.a, task.rows),
        query_(memory),
        out_(query_ + layout_.panels * layout_.query),
        scores_(out_ + layout_.panels * layout_.out),
        keys_(scores_ + layout_.keys * kPanel),
        values_(task.a.values_in_keys ? keys_ : keys_ + layout_.keys * layout_.key_stride),
        row_(keys_ + layout_.copies) {}

  void run() {
    const auto [begin, end] = task_.task.keys;
    const int64_t first = std::clamp<int64_t>(end - begin, 0, layout_.keys);
    LinesAhead keys(task_.key_tokens(begin, first));
    keys.ask(keys.lines());
    read_queries();
    for (int64_t key = begin; key < end; key += layout_.keys) {
      const int64_t next = key + layout_.keys;
      take_in_keys(key, std::min(layout_.keys, end - key), std::clamp<int64_t>(end - next, 0, layout_.keys));
    }
    finish();
  }

 private:
  // Lanes behind the last row repeat it, so that they see what it sees.
  int64_t row_of(int64_t panel, int64_t lane) const { return std::min(panel * kPanel + lane, task_.rows - 1); }

  void read_queries() {
    for (int64_t panel = 0; panel < layout_.panels; ++panel) {
      float *query = query_ + panel * layout_.query;
      for (int64_t lane = 0; lane < kPanel; ++lane) {
        task_.read_query(row_of(panel, lane), row_of(panel, lane + 2), row_);
        for (int64_t i = 0; i < task_.a.head_size; ++i) query[i * kPanel + lane] = row_[i];
      }
      std::fill_n(out_ + panel * layout_.out, layout_.out, 0.0f);
    }
    for (int64_t r = 0; r < task_.rows; ++r) result_.states[r] = task_.first_state(r);
  }

  // The keys first … first + count - 1, behind which `next` more are to come.
  void take_in_keys(int64_t first, int64_t count, int64_t next) {
    copy_tokens(task_.key_tokens(first, count), keys_, layout_.key_stride);
    if (!task_.a.values_in_keys) copy_tokens(task_.value_tokens(first, count), values_, layout_.value_stride);
    LinesAhead keys(task_.key_tokens(first + count, next));
    LinesAhead values(task_.value_tokens(first + count, task_.a.values_in_keys ? 0 : next));
    const int64_t tiles =
        layout_.panels * (tiles_of(count, task_.a.head_size) + tiles_of(task_.a.value_head_size, count));
    const auto ask_ahead = [&, lines = (keys.lines() + values.lines()) / tiles + 1] { values.ask(keys.ask(lines)); };
    for (int64_t panel = 0; panel < layout_.panels; ++panel) take_in_panel(panel, first, count, ask_ahead);
  }

  // ask_ahead is called for each tile of the products.
  template <class Fn>
  void take_in_panel(int64_t panel, int64_t first, int64_t count, const Fn &ask_ahead) {
    PanelRows rows;
    for (int64_t lane = 0; lane < kPanel; ++lane) rows.set(lane, task_.visible_part(row_of(panel, lane), first, count));
    const Visible seen = rows.narrow();
    const int64_t some = seen.end - seen.begin;
    if (some <= 0) return;

    multiply_panel({keys_ + seen.begin * layout_.key_stride, layout_.key_stride, 1}, some, task_.a.head_size,
                   query_ + panel * layout_.query, false, scores_, ask_ahead);
    if (task_.a.softcap > 0.0f) cap_scores(scores_, some * kPanel, task_.a.softcap);
    if (task_.a.alibi_slopes) add_slopes(panel, first + seen.begin, some);
    weigh(panel, rows, some);

    float *out = out_ + panel * layout_.out;
    const float *values = values_ + seen.begin * layout_.value_stride;
    if (rows.all_seen(some) || all_finite_where_unseen(values, rows, some)) {
      multiply_panel({values, 1, layout_.value_stride}, task_.a.value_head_size, some, scores_, true, out, ask_ahead);
    } else {
      add_values_lane_by_lane(values, rows, some, out);
    }
  }

  void add_slopes(int64_t panel, int64_t first, int64_t count) {
    for (int64_t lane = 0; lane < kPanel; ++lane) {
      const int64_t row = row_of(panel, lane);
      const float slope = task_.slope(row);
      const int64_t distance = first - task_.position(row);
      for (int64_t j = 0; j < count; ++j) scores_[j * kPanel + lane] += slope * static_cast<float>(distance + j);
    }
  }

  void weigh(int64_t panel, const PanelRows &rows, int64_t count) {
    PanelState state;
    for (int64_t lane = 0; lane < kPanel; ++lane) state.set(lane, result_.states[row_of(panel, lane)]);
    float factors[kPanel];
    if (!take_in(scores_, count, rows, state, factors)) scale(out_ + panel * layout_.out, factors);
    const int64_t lanes = std::min(kPanel, task_.rows - panel * kPanel);
    for (int64_t lane = 0; lane < lanes; ++lane) result_.states[panel * kPanel + lane] = state.row(lane);
  }

  void scale(float *out, const float *factors) const {
    const Floats factor[2] = {load(factors), load(factors + kLanes)};
    for (int64_t i = 0; i < task_.a.value_head_size; ++i) {
      for (int64_t v = 0; v < 2; ++v) {
        float *at = out + i * kPanel + v * kLanes;
        store(at, load(at) * factor[v]);
      }
    }
  }

  // A weight of 0 does not silence a value that is infinite or no number: where one row must not see such a value,
  // each takes in only what it sees.
  bool all_finite_where_unseen(const float *values, const PanelRows &rows, int64_t count) const {
    const Visible by_all = rows.seen_by_all();
    for (int64_t j = 0; j < count; ++j) {
      if (j >= by_all.begin && j < by_all.end) continue;
      const float *row = values + j * layout_.value_stride;
      float doubt = 0.0f;  // 0 times a finite number is 0, and no number otherwise
      for (int64_t i = 0; i < task_.a.value_head_size; ++i) doubt += row[i] * 0.0f;
      if (doubt != 0.0f) return false;
    }
    return true;
  }

  void add_values_lane_by_lane(const float *values, const PanelRows &rows, int64_t count, float *out) const {
    for (int64_t j = 0; j < count; ++j) {
      for (int64_t lane = 0; lane < kPanel; ++lane) {
        if (!rows.sees(lane, j)) continue;
        const float weight = scores_[j * kPanel + lane];
        const float *row = values + j * layout_.value_stride;
        for (int64_t i = 0; i < task_.a.value_head_size; ++i) out[i * kPanel + lane] += weight * row[i];
      }
    }
  }

  void finish() {
    for (int64_t r = 0; r < task_.rows; ++r) {
      const float *from = out_ + r / kPanel * layout_.out + r % kPanel;
      float *to = result_.out.row(r);
      for (int64_t i = 0; i < task_.a.value_head_size; ++i) to[i] = from[i * kPanel];
    }
  }

  const TaskView &task_;
  const Partial &result_;
  const Layout layout_;
  float *const query_;   // for each panel [head_size][kPanel]
  float *const out_;     // for each panel [value_head_size][kPanel]
  float *const scores_;  // [keys][kPanel]
  float *const keys_;    // copies of the keys and values that are worked on
  float *const values_;
  float *const row_;
};

}  // namespace

int64_t floats_for_many(const Attention &a, int64_t rows) { return Layout(a, rows).floats(); }

void sum_many(const TaskView &task, float *memory, const Partial &result) { ManyRows(task, memory, result).run(); }

}  // namespace cpu
