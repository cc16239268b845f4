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

// Divides what each row has summed up by the sum of its weights, and writes it.
void write_rows(const TaskView &task, const Partial &result) {
  const Attention &a = task.a;
  with_element(a.out.element, [&](auto zero) {
    for (int64_t r = 0; r < task.rows; ++r) {
      const int64_t soon = std::min(r + 2, task.rows - 1);
      ask_for<1>(a.out.row(task.query(soon), task.head(soon)), a.value_head_size * size_of(a.out.element));
      const RowState &state = result.states[r];
      const float factor = state.sum == 0.0f ? 0.0f : 1.0f / state.sum;
      float *from = result.out.row(r);
      for (int64_t i = 0; i < a.value_head_size; ++i) from[i] *= factor;
      std::byte *to = a.out.row(task.query(r), task.head(r));
      narrow_row(from, a.value_head_size, reinterpret_cast<decltype(zero) *>(to));
      if (a.lse) a.lse(task.head(r), task.query(r)) = log_of_sum(state);
    }
  });
}

}  // namespace

TaskView::TaskView(const Attention &attention, const Task &its_task)
    : a(attention),
      task(its_task),
      rows(its_task.rows()),
      first_query_(a.requests.begin(task.request) + task.first_token),
      keys_(rows_of(a.key, a, task)),
      values_(rows_of(a.value, a, task)),
      seq_len_(a.keys(task.request)),
      first_position_(seq_len_ - a.requests.tokens(task.request) + task.first_token) {}

Tokens TaskView::key_tokens(int64_t first, int64_t count) const {
  return {&keys_, a.key.element, first, count, a.head_size};
}

Tokens TaskView::value_tokens(int64_t first, int64_t count) const {
  return {&values_, a.value.element, first, count, a.value_head_size};
}

Visible TaskView::visible_part(int64_t row, int64_t first, int64_t count) const {
  const Visible visible = visible_keys(a, position(row), seq_len_);
  return {std::clamp<int64_t>(visible.begin - first, 0, count), std::clamp<int64_t>(visible.end - first, 0, count)};
}

void TaskView::read_query(int64_t row, int64_t next, float *to) const {
  ask_for<0>(a.query.row(query(next), head(next)), a.head_size * size_of(a.query.element));
  const float scale = a.softcap > 0.0f ? a.scale / a.softcap : a.scale * kLog2e;
  with_element(a.query.element, [&](auto zero) {
    widen_row(reinterpret_cast<const decltype(zero) *>(a.query.row(query(row), head(row))), a.head_size, to);
  });
  for (int64_t i = 0; i < a.head_size; ++i) to[i] *= scale;
}

RowState TaskView::first_state(int64_t row) const {
  RowState state;
  if (!a.sinks || task.piece > 0) return state;
  state.largest = a.sinks(head(row)) * kLog2e;
  state.sum = state.largest == kLowest ? 0.0f : 1.0f;
  return state;
}

float TaskView::slope(int64_t row) const { return a.alibi_slopes ? a.alibi_slopes(head(row)) * kLog2e : 0.0f; }

void run_task(const Attention &attention, const Task &task, float *memory, const Partial &result) {
  const TaskView view(attention, task);
  if (view.rows <= kFewRows) {
    sum_few(view, memory, result);
  } else {
    sum_many(view, memory, result);
  }
  if (task.pieces == 1) write_rows(view, result);
}

int64_t floats_for_task(const Attention &attention, int64_t rows) {
  const int64_t few = floats_for_few(attention);
  return rows <= kFewRows ? few : std::max(few, floats_for_many(attention, rows));
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
  write_rows(TaskView(attention, task), *partials);
}

}  // namespace cpu
