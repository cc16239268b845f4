// SPDX-License-Identifier: Apache-2.0
#include "few_products.h"

#include "ahead.h"

namespace cpu {
namespace {

// Rows that share one reading of a token, and tokens (or vectors of one) at a time: as many sums as there are
// registers for.
constexpr int kRows = 4;
constexpr int kTokens = 2;
constexpr int kVectors = 2;

template <class E, int R, int K>
void dot(Block query, const std::byte *key, int64_t key_stride, int64_t size, Ahead &ahead, Block scores) {
  const E *row[K];
  for (int j = 0; j < K; ++j) row[j] = reinterpret_cast<const E *>(key + j * key_stride);
  Floats total[R * K];
  for (int i = 0; i < R * K; ++i) total[i] = Floats{};
  int64_t at = 0;
  for (; at + kLanes <= size; at += kLanes) {
    ahead.advance<K * kLanes * sizeof(E)>();
    Floats k[K];
    for (int j = 0; j < K; ++j) k[j] = widen(row[j] + at);
    for (int r = 0; r < R; ++r) {
      const Floats q = load(query.row(r) + at);
      for (int j = 0; j < K; ++j) total[r * K + j] += q * k[j];
    }
  }
  float sums[R * K];
  sum_each<R * K>(total, sums);
  for (; at < size; ++at) {
    for (int j = 0; j < K; ++j) {
      const float k = static_cast<float>(row[j][at]);
      for (int r = 0; r < R; ++r) sums[r * K + j] += query.row(r)[at] * k;
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int j = 0; j < K; ++j) scores.row(r)[j] = sums[r * K + j];
  }
}

template <class E, int R>
void dot_run(Block query, const Run &run, int64_t size, Ahead ahead, Block scores) {
  int64_t j = 0;
  for (; j + kTokens <= run.count; j += kTokens) {
    dot<E, R, kTokens>(query, run.data + j * run.stride, run.stride, size, ahead, {scores.data + j, scores.stride});
  }
  for (; j < run.count; ++j) {
    dot<E, R, 1>(query, run.data + j * run.stride, run.stride, size, ahead, {scores.data + j, scores.stride});
  }
}

// out [R, V vectors] += weights [R, run] . values; the sums stay in registers over the whole run.
template <class E, int R, int V>
void weigh(Block weights, const Run &run, int64_t at, Ahead &ahead, Block out) {
  Floats total[R][V];
  for (int r = 0; r < R; ++r) {
    for (int v = 0; v < V; ++v) total[r][v] = load(out.row(r) + at + v * kLanes);
  }
  for (int64_t j = 0; j < run.count; ++j) {
    ahead.advance<V * kLanes * sizeof(E)>();
    const E *row = reinterpret_cast<const E *>(run.data + j * run.stride) + at;
    Floats value[V];
    for (int v = 0; v < V; ++v) value[v] = widen(row + v * kLanes);
    for (int r = 0; r < R; ++r) {
      const Floats weight = splat(weights.row(r)[j]);
      for (int v = 0; v < V; ++v) total[r][v] += weight * value[v];
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int v = 0; v < V; ++v) store(out.row(r) + at + v * kLanes, total[r][v]);
  }
}

template <class E, int R>
void weigh_run(Block weights, const Run &run, int64_t size, Ahead ahead, Block out) {
  int64_t at = 0;
  for (; at + kVectors * kLanes <= size; at += kVectors * kLanes) weigh<E, R, kVectors>(weights, run, at, ahead, out);
  for (; at + kLanes <= size; at += kLanes) weigh<E, R, 1>(weights, run, at, ahead, out);
  for (; at < size; ++at) {
    for (int64_t j = 0; j < run.count; ++j) {
      const float value = static_cast<float>(reinterpret_cast<const E *>(run.data + j * run.stride)[at]);
      for (int r = 0; r < R; ++r) out.row(r)[at] += weights.row(r)[j] * value;
    }
  }
}

// Calls fn(run, what lies ahead of it, tokens before it) for each run of the tokens.
template <class Fn>
void for_each_run(const Tokens &tokens, Fn &&fn) {
  const int64_t bytes = tokens.size * size_of(tokens.element);
  Run run = tokens.rows->run(tokens.first, tokens.count);
  for (int64_t done = 0; done < tokens.count;) {
    const int64_t after = done + run.count;
    const int64_t rest = tokens.count - after;
    const Run next = rest > 0 ? tokens.rows->run(tokens.first + after, rest) : Run{nullptr, 0, 0};
    fn(run, Ahead(next, bytes), done);
    run = next;
    done = after;
  }
}

// Calls fn(number of rows as a constant, first row) for all rows, kRows at a time.
template <class Fn>
void in_groups(int64_t rows, Fn &&fn) {
  int64_t row = 0;
  for (; row + kRows <= rows; row += kRows) fn(std::integral_constant<int, kRows>{}, row);
  switch (rows - row) {
    case 3:
      return fn(std::integral_constant<int, 3>{}, row);
    case 2:
      return fn(std::integral_constant<int, 2>{}, row);
    case 1:
      return fn(std::integral_constant<int, 1>{}, row);
    default:
      return;
  }
}

}  // namespace

void scores_of_few(Block query, int64_t rows, const Tokens &keys, Block scores) {
  with_element(keys.element, [&](auto zero) {
    using E = decltype(zero);
    for_each_run(keys, [&](const Run &run, const Ahead &ahead, int64_t done) {
      in_groups(rows, [&](auto group, int64_t row) {
        dot_run<E, group.value>({query.row(row), query.stride}, run, keys.size, row == 0 ? ahead : Ahead(),
                                {scores.row(row) + done, scores.stride});
      });
    });
  });
}

void add_values_of_few(Block weights, int64_t rows, const Tokens &values, Block out) {
  with_element(values.element, [&](auto zero) {
    using E = decltype(zero);
    for_each_run(values, [&](const Run &run, const Ahead &ahead, int64_t done) {
      in_groups(rows, [&](auto group, int64_t row) {
        weigh_run<E, group.value>({weights.row(row) + done, weights.stride}, run, values.size,
                                  row == 0 ? ahead : Ahead(), {out.row(row), out.stride});
      });
    });
  });
}

}  // namespace cpu
