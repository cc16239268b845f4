// SPDX-License-Identifier: Apache-2.0
#include "mamba_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "compare_out.h"

namespace bkr::test {
namespace {

double softplus(double x) { return x > 20.0 ? x : std::log1p(std::exp(x)); }
double silu(double x) { return x / (1.0 + std::exp(-x)); }
double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

class Loops {
 public:
  explicit Loops(MambaCall &call) : c_(call) {
    result_.state = numbers_of(c_.state());
    int64_t count = 1;
    for (const int64_t size : c_.at("out").shape()) count *= size;
    result_.out.assign(static_cast<std::size_t>(count), NAN);
  }

  MambaReference run() {
    StridedTensor &slots = c_.at("state_indices");
    for (int64_t r = 0; r < slots.size(0); ++r) {
      begin_ = static_cast<int64_t>(c_.at("query_start_loc").at({r}));
      end_ = static_cast<int64_t>(c_.at("query_start_loc").at({r + 1}));
      const auto slot = static_cast<int64_t>(slots.at({r}));
      if (slot < 0 || begin_ == end_) continue;
      result_.most_tokens = std::max(result_.most_tokens, end_ - begin_);
      const std::size_t size = result_.state.size() / static_cast<std::size_t>(c_.state().size(0));
      state_ = result_.state.data() + static_cast<std::size_t>(slot) * size;
      if (c_.has("has_initial_state") && c_.at("has_initial_state").at({r}) == 0.0) std::fill_n(state_, size, 0.0);
      if (c_.function == "causal_conv1d") {
        conv();
      } else if (c_.function == "linear_attention") {
        linear();
      } else if (c_.function == "gated_delta_rule") {
        delta();
      } else if (c_.at("x").shape().size() == 2) {
        channel_scan();
      } else {
        head_scan();
      }
      for (std::size_t i = 0; i < size; ++i) notice(state_[i]);
    }
    return std::move(result_);
  }

 private:
  double at(const char *name, std::initializer_list<int64_t> index) { return c_.at(name).at(index); }
  double or_else(const char *name, std::initializer_list<int64_t> index, double otherwise) {
    return c_.has(name) ? at(name, index) : otherwise;
  }
  void notice(double x) {
    if (std::isfinite(x)) result_.largest = std::max(result_.largest, std::fabs(x));
  }
  void put(int64_t row, double sum, double factor = 1.0) {
    notice(sum);
    result_.out[static_cast<std::size_t>(row)] = sum * factor;
  }

  void conv() {
    const int64_t channels = c_.at("x").size(1);
    const int64_t taps = c_.at("weight").size(1);
    for (int64_t d = 0; d < channels; ++d) {
      std::vector<double> u(state_ + d * (taps - 1), state_ + (d + 1) * (taps - 1));
      for (int64_t t = begin_; t < end_; ++t) {
        u.push_back(at("x", {t, d}) * or_else("input_gate", {t, d}, 1.0));
        double sum = or_else("bias", {d}, 0.0);
        for (int64_t i = 0; i < taps; ++i) sum += at("weight", {d, i}) * u[static_cast<std::size_t>(t - begin_ + i)];
        put(t * channels + d, c_.silu ? silu(sum) : sum, or_else("output_gate", {t, d}, 1.0));
      }
      std::copy(u.end() - (taps - 1), u.end(), state_ + d * (taps - 1));
    }
  }

  double step(const std::string &dt, std::initializer_list<int64_t> index, int64_t of) {
    const double sum = c_.at(dt).at(index) + or_else("dt_bias", {of}, 0.0);
    return c_.dt_softplus || dt == "a" ? softplus(sum) : sum;
  }

  void channel_scan() {
    const int64_t channels = c_.at("x").size(1);
    const int64_t size = c_.at("B").size(2);
    const int64_t per_group = channels / c_.at("B").size(1);
    for (int64_t d = 0; d < channels; ++d) {
      double *h = state_ + d * size;
      for (int64_t t = begin_; t < end_; ++t) {
        const double dt = step("dt", {t, d}, d);
        double sum = or_else("D", {d}, 0.0) * at("x", {t, d});
        for (int64_t n = 0; n < size; ++n) {
          h[n] = std::exp(dt * at("A", {d, n})) * h[n] + dt * at("B", {t, d / per_group, n}) * at("x", {t, d});
          sum += h[n] * at("C", {t, d / per_group, n});
        }
        put(t * channels + d, sum, c_.has("z") ? silu(at("z", {t, d})) : 1.0);
      }
    }
  }

  void head_scan() {
    const int64_t heads = c_.at("x").size(1);
    const int64_t values = c_.at("x").size(2);
    const int64_t size = c_.at("B").size(2);
    const int64_t per_group = heads / c_.at("B").size(1);
    for (int64_t h = 0; h < heads; ++h) {
      for (int64_t t = begin_; t < end_; ++t) {
        const double dt = step("dt", {t, h}, h);
        const double decay = std::exp(dt * at("A", {h}));
        for (int64_t p = 0; p < values; ++p) {
          double *row = state_ + (h * values + p) * size;
          const double x = at("x", {t, h, p});
          double sum = or_else("D", {h}, 0.0) * x;
          for (int64_t n = 0; n < size; ++n) {
            row[n] = decay * row[n] + dt * at("B", {t, h / per_group, n}) * x;
            sum += row[n] * at("C", {t, h / per_group, n});
          }
          put((t * heads + h) * values + p, sum, c_.has("z") ? silu(at("z", {t, h, p})) : 1.0);
        }
      }
    }
  }

  void linear() {
    const int64_t heads = c_.at("query").size(1);
    const int64_t keys = c_.at("query").size(2);
    const int64_t values = c_.at("value").size(2);
    for (int64_t h = 0; h < heads; ++h) {
      const double decay = std::exp(-at("slopes", {h}));
      for (int64_t t = begin_; t < end_; ++t) {
        for (int64_t p = 0; p < values; ++p) {
          double sum = 0.0;
          for (int64_t n = 0; n < keys; ++n) {
            double &s = state_[(h * keys + n) * values + p];
            s = decay * s + at("key", {t, h, n}) * at("value", {t, h, p});
            sum += at("query", {t, h, n}) * s;
          }
          put((t * heads + h) * values + p, sum);
        }
      }
    }
  }

  std::vector<double> unit(const char *name, int64_t token, int64_t group, double scale) {
    std::vector<double> row;
    double squares = 1e-6;
    for (int64_t n = 0; n < c_.at(name).size(2); ++n) {
      row.push_back(at(name, {token, group, n}));
      squares += row.back() * row.back();
    }
    for (double &x : row) x *= scale / std::sqrt(squares);
    return row;
  }

  void delta() {
    const int64_t heads = c_.at("value").size(1);
    const int64_t values = c_.at("value").size(2);
    const int64_t keys = c_.at("query").size(2);
    const int64_t per_group = heads / c_.at("query").size(1);
    for (int64_t h = 0; h < heads; ++h) {
      for (int64_t t = begin_; t < end_; ++t) {
        const double decay = std::exp(-std::exp(at("A_log", {h})) * step("a", {t, h}, h));
        const double beta = sigmoid(at("b", {t, h}));
        const auto query = unit("query", t, h / per_group, 1.0 / std::sqrt(static_cast<double>(keys)));
        const auto key = unit("key", t, h / per_group, 1.0);
        for (int64_t p = 0; p < values; ++p) {
          double *row = state_ + (h * values + p) * keys;
          double memory = 0.0;
          for (int64_t n = 0; n < keys; ++n) {
            row[n] *= decay;
            memory += row[n] * key[static_cast<std::size_t>(n)];
          }
          const double change = beta * (at("value", {t, h, p}) - memory);
          double sum = 0.0;
          for (int64_t n = 0; n < keys; ++n) {
            row[n] += change * key[static_cast<std::size_t>(n)];
            sum += row[n] * query[static_cast<std::size_t>(n)];
          }
          put((t * heads + h) * values + p, sum);
        }
      }
    }
  }

  MambaCall &c_;
  MambaReference result_;
  int64_t begin_ = 0, end_ = 0;
  double *state_ = nullptr;
};

// The products and sums of a step cost a few units of float32 each, and each step's error fades like the state does or
// stays; a sum over the state's columns has terms of both signs, so that an error is measured by the largest of all.
double allowed(const MambaReference &reference, double expected, std::string_view dtype) {
  const double u = std::ldexp(1.0, -24);
  const double steps = 16.0 + 2.0 * std::sqrt(static_cast<double>(reference.most_tokens));
  const double smallest = dtype == "float16" ? std::ldexp(1.0, -25) : 0.0;  // half a denormal's place
  return u * steps * std::max(1.0, reference.largest) + rounding(dtype) * std::fabs(expected) + smallest;
}

void expect_all(StridedTensor &tensor, const std::vector<double> &expected, const MambaReference &reference,
                const std::string &what) {
  const std::vector<double> actual = numbers_of(tensor);
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (std::isnan(actual[i]) && std::isnan(expected[i])) continue;
    if (std::fabs(actual[i] - expected[i]) <= allowed(reference, expected[i], tensor.dtype())) continue;
    FAIL() << what << "[" << i << "] is " << actual[i] << ", reference " << expected[i] << ", allowed "
           << allowed(reference, expected[i], tensor.dtype());
  }
}

}  // namespace

std::vector<double> numbers_of(StridedTensor &tensor) {
  std::vector<double> numbers;
  int64_t count = 1;
  for (const int64_t size : tensor.shape()) count *= size;
  const DLTensor view = *tensor.view();
  for (int64_t i = 0; i < count; ++i) {
    int64_t place = 0;
    int64_t rest = i;
    for (int d = view.ndim - 1; d >= 0; rest /= view.shape[d], --d) place += rest % view.shape[d] * view.strides[d];
    const std::byte *first = static_cast<const std::byte *>(view.data) + view.byte_offset;
    numbers.push_back(tool::read_number(view.dtype, first + place * (view.dtype.bits / 8)));
  }
  return numbers;
}

MambaReference mamba_reference(MambaCall &call) { return Loops(call).run(); }

void expect_results(MambaCall &call, const MambaReference &reference, const std::string &what) {
  expect_all(call.at("out"), reference.out, reference, what + " out");
  if (!::testing::Test::HasFatalFailure()) expect_all(call.state(), reference.state, reference, what + " state");
}

}  // namespace bkr::test
