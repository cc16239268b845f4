// SPDX-License-Identifier: Apache-2.0
#include "task.h"

#include <algorithm>

namespace cpu {
namespace {

TokenRows rows_of(const KeyValues &from, const Attention &a, const Task &task) {
  const bool paged = from.block_size > 0;
  const int64_t start = paged ? 0 : a.key_starts(task.request) * from.token_stride;
  return {from.data + task.kv_head * from.head_stride + start,
          from.token_stride,
          from.block_stride,
          from.block_size,
          a.block_table,
          task.request};
}

// Row r of a task is head r % heads of token r / heads.
int64_t token_of(const Task &task, int64_t row) { return row / task.heads; }
int64_t head_of(const Task &task, int64_t row) { return task.first_head + row % task.heads; }

// Divides what each row has summed up by the sum of its weights, and writes it.
void write_rows(const Attention &a, const Task &task, const RowState *states, Block out) {
  const int64_t first_query = a.requests.begin(task.request) + task.first_token;
  with_element(a.out.element, [&](auto zero) {
    for (int64_t r = 0; r < task.rows(); ++r) {
      const int64_t query = first_query + token_of(task, r);
      const int64_t head = head_of(task, r);
      const float factor = states[r].sum == 0.0f ? 0.0f : 1.0f / states[r].sum;
      float *from = out.row(r);
      for (int64_t i = 0; i < a.value_head_size; ++i) from[i] *= factor;
      narrow_row(from, a.value_head_size, reinterpret_cast<decltype(zero) *>(a.out.row(query, head)));
      if (a.lse) a.lse(head, query) = log_of_sum(states[r]);
    }
  });
}

class TaskRun {
 public:
  TaskRun(const Attention &attention, const Task &task, const Workspace &space)
      : a_(attention),
        task_(task),
        space_(space),
        rows_(task.rows()),
        first_query_(a_.requests.begin(task.request) + task.first_token),
        keys_(rows_of(a_.key, a_, task)),
        values_(rows_of(a_.value, a_, task)),
        seq_len_(a_.keys(task.request)),
        position_(seq_len_ - a_.requests.tokens(task.request) + task.first_token) {}

  void run() {
    begin();
    const auto [begin, end] = task_.keys;
    for (int64_t key = begin; key < end; key += space_.keys) take_in_keys(key, std::min(space_.keys, end - key));
  }

 private:
  int64_t token(int64_t row) const { return token_of(task_, row); }
  int64_t head(int64_t row) const { return head_of(task_, row); }

  void begin() {
    const float scale = a_.softcap > 0.0f ? a_.scale / a_.softcap : a_.scale * kLog2e;
    with_element(a_.query.element, [&](auto zero) {
      for (int64_t r = 0; r < rows_; ++r) {
        const std::byte *from = a_.query.row(first_query_ + token(r), head(r));
        float *to = space_.query.row(r);
        widen_row(reinterpret_cast<const decltype(zero) *>(from), a_.head_size, to);
        for (int64_t i = 0; i < a_.head_size; ++i) to[i] *= scale;
      }
    });
    for (int64_t r = 0; r < rows_; ++r) {
      RowState &state = space_.states[r];
      state = {};
      if (a_.sinks && task_.piece == 0) {
        state.largest = a_.sinks(head(r)) * kLog2e;
        state.sum = state.largest == kLowest ? 0.0f : 1.0f;
      }
      std::fill_n(space_.out.row(r), a_.value_head_size, 0.0f);
    }
  }

  void take_in_keys(int64_t first, int64_t count) {
    const Tokens keys{&keys_, a_.key.element, first, count, a_.head_size};
    const Tokens values{&values_, a_.value.element, first, count, a_.value_head_size};
    const bool few = rows_ <= kFewRows;
    if (few) {
      scores_of_few(space_.query, rows_, keys, space_.scores);
    } else {
      copy_tokens(keys, space_.copy);
      scores_of_many(space_.query, rows_, keys, space_.copy, space_.scores);
    }
    bool all_seen = true;
    for (int64_t r = 0; r < rows_; ++r) {
      const Visible visible = visible_part(r, first, count);
      all_seen = all_seen && visible.begin == 0 && visible.end == count;
      weigh_row(r, first, count, visible);
    }
    if (!all_seen && !all_finite(values)) {
      add_values_row_by_row(values);
    } else if (few) {
      add_values_of_few(space_.scores, rows_, values, space_.out);
    } else {
      if (!a_.values_in_keys) copy_tokens(values, space_.copy);
      add_values_of_many(space_.scores, rows_, values, a_.values_in_keys ? a_.head_size : values.size, space_.copy,
                         space_.out);
    }
  }

  // What row r sees of the keys first … first + count - 1, counted from first.
  Visible visible_part(int64_t r, int64_t first, int64_t count) const {
    const Visible visible = visible_keys(a_, position_ + token(r), seq_len_);
    return {std::clamp<int64_t>(visible.begin - first, 0, count), std::clamp<int64_t>(visible.end - first, 0, count)};
  }

  void weigh_row(int64_t r, int64_t first, int64_t count, Visible visible) {
    float *scores = space_.scores.row(r);
    if (visible.begin >= visible.end) {
      std::fill_n(scores, count, 0.0f);
      return;
    }
    const ScoreRow row{scores, count, visible.begin, visible.end};
    const float slope = a_.alibi_slopes ? a_.alibi_slopes(head(r)) * kLog2e : 0.0f;
    if (a_.softcap > 0.0f || slope != 0.0f) {
      finish_scores(row, a_.softcap, slope, first + visible.begin - (position_ + token(r)));
    }
    const float factor = take_in(row, space_.states[r]);
    if (factor != 1.0f) {
      float *out = space_.out.row(r);
      for (int64_t i = 0; i < a_.value_head_size; ++i) out[i] *= factor;
    }
  }

  // A weight of 0 does not silence a value that is infinite or no number. Where some row must not see such a value,
  // each row takes in only what it sees.
  void add_values_row_by_row(const Tokens &values) {
    for (int64_t r = 0; r < rows_; ++r) {
      const Visible visible = visible_part(r, values.first, values.count);
      if (visible.begin >= visible.end) continue;
      Tokens seen = values;
      seen.first += visible.begin;
      seen.count = visible.end - visible.begin;
      add_values_of_few({space_.scores.row(r) + visible.begin, space_.scores.stride}, 1, seen,
                        {space_.out.row(r), space_.out.stride});
    }
  }

  const Attention &a_;
  const Task &task_;
  const Workspace &space_;
  const int64_t rows_;
  const int64_t first_query_;
  const TokenRows keys_, values_;
  const int64_t seq_len_;
  const int64_t position_;  // of the first token
};

// As many keys as fit beside the rows in the second cache level.
int64_t keys_at_a_time(const Attention &a) {
  return std::clamp<int64_t>(kKeys * 128 / std::max(a.head_size, a.value_head_size) / 16 * 16, 64, kKeys);
}

}  // namespace

Workspace::Workspace(const Attention &attention, int64_t rows) : keys(keys_at_a_time(attention)), rows_(rows) {
  // Strides that are no power of two: rows a page apart would share their places in the caches.
  constexpr int64_t kSkew = 16;
  query.stride = round_up(attention.head_size) + kSkew;
  scores.stride = round_up(keys) + kSkew;
  out.stride = round_up(attention.value_head_size) + kSkew;
  const int64_t copied = rows > kFewRows ? keys * std::max(attention.head_size, attention.value_head_size) : 0;
  floats_ = rows * (query.stride + scores.stride + out.stride) + copied;
}

void Workspace::place(float *memory, RowState *row_states) {
  query.data = memory;
  scores.data = query.data + rows_ * query.stride;
  out.data = scores.data + rows_ * scores.stride;
  copy = out.data + rows_ * out.stride;
  states = row_states;
}

void run_task(const Attention &attention, const Task &task, const Workspace &space, const Partial &partial) {
  if (task.pieces == 1) {
    TaskRun(attention, task, space).run();
    write_rows(attention, task, space.states, space.out);
    return;
  }
  Workspace own = space;
  own.out = partial.out;
  own.states = partial.states;
  TaskRun(attention, task, own).run();
}

void join_pieces(const Attention &attention, const Task &task, const Partial *partials) {
  for (int64_t r = 0; r < task.rows(); ++r) {
    for (int64_t piece = 1; piece < task.pieces; ++piece) {
      const Factors factors = join(partials->states[r], partials[piece].states[r]);
      float *to = partials->out.row(r);
      const float *from = partials[piece].out.row(r);
      for (int64_t i = 0; i < attention.value_head_size; ++i) to[i] = to[i] * factors.mine + from[i] * factors.other;
    }
  }
  write_rows(attention, task, partials->states, partials->out);
}

}  // namespace cpu
