// SPDX-License-Identifier: Apache-2.0
#include "dense.h"

#include <cmath>

namespace engine {

Floats random_weights(std::mt19937 &random, int64_t inputs, int64_t outputs) {
  Floats weights({inputs, outputs});
  std::normal_distribution<float> normal(0.0f, 1.0f / std::sqrt(static_cast<float>(inputs)));
  for (float &weight : weights.data) weight = normal(random);
  return weights;
}

Floats multiply(const Floats &x, const Floats &weights) {
  Floats out({x.rows(), weights.row_size});
  const int64_t columns = weights.row_size;
  for (int64_t t = 0; t < x.rows(); ++t) {
    float *to = out.row(t);
    for (int64_t i = 0; i < weights.rows(); ++i) {
      const float factor = x.row(t)[i];
      const float *from = weights.row(i);
      for (int64_t j = 0; j < columns; ++j) to[j] += factor * from[j];
    }
  }
  return out;
}

void rms_norm(Floats &x, int64_t size) {
  const auto count = static_cast<int64_t>(x.data.size());
  for (float *at = x.data.data(); at != x.data.data() + count; at += size) {
    double squares = 0;
    for (int64_t i = 0; i < size; ++i) squares += double{at[i]} * double{at[i]};
    const auto factor = static_cast<float>(1.0 / std::sqrt(squares / static_cast<double>(size) + 1e-6));
    for (int64_t i = 0; i < size; ++i) at[i] *= factor;
  }
}

void rotate(float *values, int64_t size, int64_t position) {
  const int64_t half = size / 2;
  for (int64_t i = 0; i < half; ++i) {
    const double angle =
        static_cast<double>(position) * std::pow(10000.0, -static_cast<double>(i) / static_cast<double>(half));
    const auto cosine = static_cast<float>(std::cos(angle));
    const auto sine = static_cast<float>(std::sin(angle));
    const float a = values[i];
    const float b = values[i + half];
    values[i] = a * cosine - b * sine;
    values[i + half] = a * sine + b * cosine;
  }
}

float silu(float x) { return x / (1.0f + std::exp(-x)); }

}  // namespace engine
