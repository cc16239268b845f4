// SPDX-License-Identifier: Apache-2.0
#include "gates.h"

#include <algorithm>
#include <cmath>

#include "common/exp.h"

namespace cpu {
namespace {

// Any decay below is 0 in float32, and sums of it stay far from infinity, whose differences would be no numbers.
constexpr float kLeastLog = -1e4f;

void read_column(const HeadRows &rows, int64_t token, int64_t count, int64_t head, float *to) {
  with_element(rows.element, [&](auto zero) {
    for (int64_t t = 0; t < count; ++t) {
      to[t] = static_cast<float>(*reinterpret_cast<const decltype(zero) *>(rows.row(token + t, head)));
    }
  });
  std::fill(to + count, to + round_up(count), 0.0f);
}

void read_rows(const HeadRows &rows, int64_t token, int64_t count, int64_t head, int64_t size, float *to,
               int64_t stride) {
  for (int64_t t = 0; t < count; ++t) read_row(rows.row(token + t, head), rows.element, size, to + t * stride);
}

float sum_of_squares(const float *row, int64_t size) {
  Floats squares{};
  for (int64_t i = 0; i < size; i += kLanes) squares += load(row + i) * load(row + i);
  return sum(squares);
}

// x / sqrt(sum x^2 + 1e-6) * scale
void normalise(float *rows, int64_t count, int64_t size, int64_t stride, float scale) {
  for (int64_t t = 0; t < count; ++t) {
    float *row = rows + t * stride;
    float squares = sum_of_squares(row, size) + 1e-6f;
    if (std::isinf(squares)) {
      // Large numbers have a length as well, beside which 1e-6 is nothing. (An infinite one has none, and gives NaN.)
      map_row(row, size, [](Floats x) { return x * 0x1p-80f; });
      squares = sum_of_squares(row, size);
    }
    const float factor = scale / std::sqrt(squares);
    map_row(row, size, [&](Floats x) { return x * factor; });
  }
}

}  // namespace

void read_row(const std::byte *from, Element element, int64_t count, float *to) {
  with_element(element, [&](auto zero) { widen_row(reinterpret_cast<const decltype(zero) *>(from), count, to); });
  if (count % kLanes != 0) std::fill(to + count, to + round_up(count), 0.0f);
}

void write_row(const float *from, int64_t count, std::byte *to, Element element) {
  with_element(element, [&](auto zero) { narrow_row(from, count, reinterpret_cast<decltype(zero) *>(to)); });
}

void read_gates(const Recurrence &r, int64_t token, int64_t count, int64_t head, float *log_decay, float *factor) {
  const float decay = r.decay(head);
  if (r.kind == Recurrence::Kind::linear) {
    std::fill_n(log_decay, round_up(count), std::max(-decay, kLeastLog));
    std::fill_n(factor, round_up(count), 1.0f);
    return;
  }
  const float bias = r.gate_bias ? r.gate_bias(head) : 0.0f;
  read_column(r.first_gate, token, count, head, log_decay);
  const bool soft = r.kind == Recurrence::Kind::delta || r.dt_softplus;
  map_row(log_decay, count, [&](Floats gate) { return soft ? softplus(gate + bias) : gate + bias; });
  float slope = decay;
  if (r.kind == Recurrence::Kind::delta) {
    slope = -std::exp(decay);
    read_column(r.second_gate, token, count, head, factor);
    map_row(factor, count, [](Floats b) { return sigmoid(b); });
  } else {
    std::copy_n(log_decay, round_up(count), factor);
  }
  map_row(log_decay, count, [&](Floats d) {
    const Floats log = d * slope;
    return log < kLeastLog ? splat(kLeastLog) : log;
  });
}

bool finite_gates(const Recurrence &r, int64_t token, int64_t count, int64_t head) {
  float doubt = 0.0f;  // 0 times a finite number is 0, and no number otherwise
  for (const HeadRows &gates : {r.first_gate, r.second_gate}) {
    if (!gates) continue;
    with_element(gates.element, [&](auto zero) {
      for (int64_t t = 0; t < count; ++t) {
        doubt += static_cast<float>(*reinterpret_cast<const decltype(zero) *>(gates.row(token + t, head))) * 0.0f;
      }
    });
  }
  return doubt == 0.0f;
}

void read_queries(const Recurrence &r, int64_t token, int64_t count, int64_t group, float *to, int64_t stride) {
  read_rows(r.query, token, count, group, r.key_size, to, stride);
  if (r.kind != Recurrence::Kind::delta) return;
  normalise(to, count, r.key_size, stride, 1.0f / std::sqrt(static_cast<float>(r.key_size)));
}

void read_keys(const Recurrence &r, int64_t token, int64_t count, int64_t group, float *to, int64_t stride) {
  read_rows(r.key, token, count, group, r.key_size, to, stride);
  if (r.kind == Recurrence::Kind::delta) normalise(to, count, r.key_size, stride, 1.0f);
}

void read_value(const Recurrence &r, int64_t token, int64_t head, float *to) {
  read_row(r.value.row(token, head), r.value.element, r.value_size, to);
}

void write_out(const Recurrence &r, int64_t token, int64_t head, float *row, float *space) {
  if (r.skip) {
    const float skip = r.skip(head);
    read_value(r, token, head, space);
    for (int64_t i = 0; i < r.value_size; i += kLanes) store(row + i, load(row + i) + load(space + i) * skip);
  }
  if (r.z) {
    read_row(r.z.row(token, head), r.z.element, r.value_size, space);
    for (int64_t i = 0; i < r.value_size; i += kLanes) store(row + i, load(row + i) * silu(load(space + i)));
  }
  write_row(row, r.value_size, r.out.row(token, head), r.out.element);
}

}  // namespace cpu
