// SPDX-License-Identifier: Apache-2.0
#include "token_by_token.h"

#include <algorithm>

#include "common/exp.h"
#include "gates.h"

namespace cpu {
namespace {

constexpr int64_t kTokens = 32;  // that pass over the state together
constexpr int kRows = 4;         // of the state, that share the loading of a token's row

// Scratch of one task. With one pass over the state only kRows rows of it are held at a time.
struct Space {
  Space(const Recurrence &r, int64_t tokens, float *memory) {
    key_stride = round_up(r.key_size);
    value_stride = round_up(std::max(r.value_size, int64_t{kRows}));
    row_size = r.rows_are_keys() ? r.value_size : r.key_size;
    rows = r.rows_are_keys() ? r.key_size : r.value_size;
    row_stride = round_up(row_size);
    auto take = [&, at = int64_t{0}](int64_t count) mutable {
      float *const taken = memory == nullptr ? nullptr : memory + at;
      at += round_up(count);
      floats = at;
      return taken;
    };
    query = take(kTokens * key_stride);
    key = take(kTokens * key_stride);
    value = take(kTokens * value_stride);
    out = take(kTokens * value_stride);
    decay = take(kTokens);
    factor = take(kTokens);
    overlap = take(kTokens);
    row = take(value_stride);
    state = take((tokens > kTokens ? round_up(rows) : kRows) * row_stride);
  }

  int64_t key_stride, value_stride, row_stride;
  int64_t row_size, rows;  // of the state
  float *query, *key, *value, *out;
  float *decay, *factor;
  float *overlap;  // key . query of each token
  float *row;
  float *state;
  int64_t floats = 0;
};

float dot(const float *a, const float *b, int64_t size) {
  Floats total{};
  for (int64_t i = 0; i < size; i += kLanes) total += load(a + i) * load(b + i);
  return sum(total);
}

// R rows of values: S = a S + w^T k, out = S q.
template <int R>
void scan_rows(const Space &s, int64_t tokens, int64_t first, float *state) {
  for (int64_t t = 0; t < tokens; ++t) {
    const float *key = s.key + t * s.key_stride;
    const float *query = s.query + t * s.key_stride;
    const Floats decay = splat(s.decay[t]);
    Floats weight[R];
    Floats total[R];
    for (int r = 0; r < R; ++r) {
      weight[r] = splat(s.value[t * s.value_stride + first + r]);
      total[r] = Floats{};
    }
    for (int64_t i = 0; i < s.row_size; i += kLanes) {
      const Floats k = load(key + i);
      const Floats q = load(query + i);
      for (int r = 0; r < R; ++r) {
        float *at = state + r * s.row_stride + i;
        const Floats updated = load(at) * decay + weight[r] * k;
        store(at, updated);
        total[r] += updated * q;
      }
    }
    sum_each<R>(total, s.out + t * s.value_stride + first);
  }
}

// The same for the delta rule, whose w needs S k first: one pass gives S k and S q, and out = e^g S q + w (k . q).
template <int R>
void delta_rows(const Space &s, int64_t tokens, int64_t first, float *state) {
  for (int64_t t = 0; t < tokens; ++t) {
    const float *key = s.key + t * s.key_stride;
    const float *query = s.query + t * s.key_stride;
    Floats on_key[R];
    Floats on_query[R];
    for (int r = 0; r < R; ++r) on_key[r] = on_query[r] = Floats{};
    for (int64_t i = 0; i < s.row_size; i += kLanes) {
      const Floats k = load(key + i);
      const Floats q = load(query + i);
      for (int r = 0; r < R; ++r) {
        const Floats row = load(state + r * s.row_stride + i);
        on_key[r] += row * k;
        on_query[r] += row * q;
      }
    }
    float memory[R];
    float seen[R];
    sum_each<R>(on_key, memory);
    sum_each<R>(on_query, seen);
    const float decay = s.decay[t];
    Floats weight[R];
    for (int r = 0; r < R; ++r) {
      const int64_t at = t * s.value_stride + first + r;
      const float w = s.factor[t] * (s.value[at] - decay * memory[r]);
      weight[r] = splat(w);
      s.out[at] = decay * seen[r] + w * s.overlap[t];
    }
    for (int64_t i = 0; i < s.row_size; i += kLanes) {
      const Floats k = load(key + i);
      for (int r = 0; r < R; ++r) {
        float *at = state + r * s.row_stride + i;
        store(at, load(at) * decay + weight[r] * k);
      }
    }
  }
}

// R rows of keys: S = a S + k^T w, out += q S.
template <int R>
void linear_rows(const Space &s, int64_t tokens, int64_t first, float *state) {
  for (int64_t t = 0; t < tokens; ++t) {
    const float *value = s.value + t * s.value_stride;
    float *out = s.out + t * s.value_stride;
    const Floats decay = splat(s.decay[t]);
    Floats key[R];
    Floats query[R];
    for (int r = 0; r < R; ++r) {
      key[r] = splat(s.key[t * s.key_stride + first + r]);
      query[r] = splat(s.query[t * s.key_stride + first + r]);
    }
    for (int64_t i = 0; i < s.row_size; i += kLanes) {
      const Floats v = load(value + i);
      Floats total = load(out + i);
      for (int r = 0; r < R; ++r) {
        float *at = state + r * s.row_stride + i;
        const Floats updated = load(at) * decay + key[r] * v;
        store(at, updated);
        total += query[r] * updated;
      }
      store(out + i, total);
    }
  }
}

template <int R>
void pass(const Recurrence &r, const Space &s, int64_t tokens, int64_t first, float *state) {
  if (r.kind == Recurrence::Kind::scan) return scan_rows<R>(s, tokens, first, state);
  if (r.kind == Recurrence::Kind::delta) return delta_rows<R>(s, tokens, first, state);
  linear_rows<R>(s, tokens, first, state);
}

// The gates, values and (for linear attention) empty rows of out of some tokens of a head.
void begin(const Recurrence &r, const Space &s, int64_t token, int64_t count, int64_t head) {
  read_gates(r, token, count, head, s.decay, s.factor);
  map_row(s.decay, count, [](Floats log) { return exp(log); });
  for (int64_t t = 0; t < count; ++t) {
    float *value = s.value + t * s.value_stride;
    read_value(r, token + t, head, value);
    if (r.kind != Recurrence::Kind::scan) continue;
    const float factor = s.factor[t];
    map_row(value, r.value_size, [&](Floats x) { return x * factor; });
  }
  if (r.rows_are_keys()) std::fill_n(s.out, count * s.value_stride, 0.0f);
}

}  // namespace

int64_t floats_token_by_token(const Recurrence &r, int64_t tokens) { return Space(r, tokens, nullptr).floats; }

void run_token_by_token(const Recurrence &r, const HeadTask &task, float *memory) {
  const int64_t tokens = r.batch.requests.tokens(task.request);
  const int64_t start = r.batch.requests.begin(task.request);
  const int64_t slot = r.batch.slot(task.request);
  const bool initial = r.batch.has_initial_state(task.request);
  const Space s(r, tokens, memory);
  for (int64_t head = task.first_head; head < task.first_head + task.heads; ++head) {
    for (int64_t done = 0; done < tokens; done += kTokens) {
      const int64_t count = std::min(kTokens, tokens - done);
      const bool first = done == 0;
      const bool last = done + count == tokens;
      if (head == task.first_head || tokens > kTokens) {  // the heads of a task share queries and keys
        read_queries(r, start + done, count, task.group, s.query, s.key_stride);
        read_keys(r, start + done, count, task.group, s.key, s.key_stride);
        for (int64_t t = 0; t < count; ++t) {
          s.overlap[t] = dot(s.key + t * s.key_stride, s.query + t * s.key_stride, r.key_size);
        }
      }
      begin(r, s, start + done, count, head);
      for (int64_t row = 0; row < s.rows; row += kRows) {
        const int64_t held = std::min<int64_t>(kRows, s.rows - row);
        float *state = s.state + (tokens > kTokens ? row * s.row_stride : 0);
        for (int64_t i = 0; first && i < held; ++i) {
          float *to = state + i * s.row_stride;
          if (initial) {
            read_row(r.state.row(slot, head, row + i), r.state.element, s.row_size, to);
          } else {
            std::fill_n(to, s.row_stride, 0.0f);
          }
        }
        if (held == kRows) {
          pass<kRows>(r, s, count, row, state);
        } else {
          for (int64_t i = 0; i < held; ++i) pass<1>(r, s, count, row + i, state + i * s.row_stride);
        }
        for (int64_t i = 0; last && i < held; ++i) {
          write_row(state + i * s.row_stride, s.row_size, r.state.row(slot, head, row + i), r.state.element);
        }
      }
      for (int64_t t = 0; t < count; ++t) write_out(r, start + done + t, head, s.out + t * s.value_stride, s.row);
    }
  }
}

}  // namespace cpu
