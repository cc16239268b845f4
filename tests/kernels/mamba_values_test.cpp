// SPDX-License-Identifier: Apache-2.0
// Small calls whose results are known to nine digits from another implementation: all inputs are sine waves.
#include <cmath>

#include "mamba_reference.h"
#include "mamba_under_test.h"

namespace bkr::test {
namespace {

std::vector<double> wave(std::size_t count, double step, double shift = 0.0) {
  std::vector<double> values;
  for (std::size_t i = 1; i <= count; ++i) values.push_back(std::sin(step * static_cast<double>(i) + shift));
  return values;
}

// A wave over [rows, columns], turned to [columns, rows].
std::vector<double> turned(std::size_t rows, std::size_t columns, double step, double shift = 0.0) {
  const std::vector<double> values = wave(rows * columns, step, shift);
  std::vector<double> result;
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t r = 0; r < rows; ++r) result.push_back(values[r * columns + c]);
  }
  return result;
}

// Waves of `size` that begin anew, shifted by one, for each token.
std::vector<double> by_token(std::size_t tokens, std::size_t size, double step) {
  std::vector<double> result;
  for (std::size_t t = 0; t < tokens; ++t) {
    for (const double x : wave(size, step, static_cast<double>(t))) result.push_back(x);
  }
  return result;
}

class MambaValues : public CpuMamba {
 protected:
  // One request of three tokens in slot 0.
  static MambaCall call(const std::string &function, const Shape &out, const Shape &state) {
    MambaCall made;
    made.function = function;
    made.add("query_start_loc", StridedTensor("int32", {2})).with({0, 3});
    made.add("state_indices", StridedTensor("int32", {1})).with({0});
    made.add("out", StridedTensor("float32", out));
    made.add(function == "causal_conv1d" ? "conv_state" : "state", StridedTensor("float32", state)).fill([] {
      return 0.0;
    });
    return made;
  }
  static void set(MambaCall &call, const std::string &name, const Shape &shape, const std::vector<double> &values) {
    call.add(name, StridedTensor("float32", shape)).with(values);
  }

  void expect(const std::string &member, MambaCall &call, const std::vector<double> &out,
              const std::vector<double> &state) {
    for (const int32_t chunk_size : {0, 1, 2, 3}) {
      MambaCall copy = call;
      copy.chunk_size = chunk_size;
      const Outcome outcome = run(member, copy);
      ASSERT_EQ(outcome.status, BKR_OK) << outcome.text;
      expect_near(copy.at("out"), out);
      expect_near(copy.state(), state);
    }
  }

 private:
  static void expect_near(StridedTensor &tensor, const std::vector<double> &expected) {
    const std::vector<double> actual = numbers_of(tensor);
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-6) << "element " << i;
  }
};

TEST_P(MambaValues, ConvolutionWithState) {
  MambaCall conv = call("causal_conv1d", {3, 2}, {1, 2, 3});
  conv.silu = true;
  set(conv, "x", {3, 2}, turned(2, 3, 0.6));
  set(conv, "weight", {2, 4}, wave(8, 0.25));
  set(conv, "bias", {2}, {0.1, -0.2});
  set(conv, "conv_state", {1, 2, 3}, wave(6, 0.8));
  expect("MAMBA1", conv, {1.429138671, -0.277467082, 1.588148507, -0.275490264, 1.753518041, -0.238228089},
         {0.564642473, 0.932039086, 0.973847631, 0.675463181, 0.141120008, -0.442520443});
}

TEST_P(MambaValues, ConvolutionFromNothing) {
  MambaCall conv = call("causal_conv1d", {3, 2}, {1, 2, 3});
  set(conv, "x", {3, 2}, turned(2, 3, 0.6));
  set(conv, "weight", {2, 4}, wave(8, 0.25));
  expect("SHORT_CONV", conv, {0.475130258, 0.614196932, 1.169166043, 0.792966337, 1.725482514, 0.410248541},
         {0.564642473, 0.932039086, 0.973847631, 0.675463181, 0.141120008, -0.442520443});
}

TEST_P(MambaValues, ScanByChannels) {
  MambaCall scan = call("selective_scan", {3, 2}, {1, 2, 2});
  scan.dt_softplus = true;
  set(scan, "x", {3, 2}, turned(2, 3, 0.5));
  set(scan, "dt", {3, 2}, turned(2, 3, 0.9, 0.3));
  set(scan, "A", {2, 2}, {-1.0, -2.0, -0.5, -1.5});
  set(scan, "B", {3, 1, 2}, turned(2, 3, 0.7));
  set(scan, "C", {3, 1, 2}, turned(2, 3, 0.35));
  set(scan, "D", {2}, {1.0, 0.5});
  set(scan, "z", {3, 2}, turned(2, 3, 0.15));
  set(scan, "dt_bias", {2}, {0.1, 0.2});
  expect("MAMBA1", scan, {0.066847982, 0.250002680, 0.210889049, 0.269722224, 0.365585862, 0.200502829},
         {1.226469069, -0.784083415, 0.411454676, -0.063202341});
}

TEST_P(MambaValues, ScanByHeads) {
  MambaCall scan = call("selective_scan", {3, 2, 2}, {1, 2, 2, 2});
  scan.dt_softplus = true;
  set(scan, "x", {3, 2, 2}, by_token(3, 4, 0.5));
  set(scan, "dt", {3, 2}, by_token(3, 2, 0.9));
  set(scan, "A", {2}, {-1.0, -0.5});
  set(scan, "B", {3, 1, 2}, by_token(3, 2, 0.7));
  set(scan, "C", {3, 1, 2}, by_token(3, 2, 0.35));
  set(scan, "D", {2}, {1.0, 0.5});
  set(scan, "dt_bias", {2}, {0.1, 0.2});
  expect("MAMBA2", scan,
         {0.983777336, 1.726691670, 1.730703205, 1.577676071, 3.444109646, 3.347114170, 2.680239359, 1.581454048,
          1.312644994, 0.770308980, 0.846321132, 0.199073894},
         {0.819803018, 0.306296234, 0.630347804, 0.422839995, 0.819411082, 1.026542466, 0.342208607, 0.781512777});
}

TEST_P(MambaValues, LinearAttention) {
  MambaCall linear = call("linear_attention", {3, 1, 2}, {1, 1, 2, 2});
  set(linear, "query", {3, 1, 2}, wave(6, 0.4));
  set(linear, "key", {3, 1, 2}, wave(6, 0.8));
  set(linear, "value", {3, 1, 2}, wave(6, 0.2));
  set(linear, "slopes", {1}, {0.5});
  expect("LINEAR", linear, {0.197954485, 0.388017150, 0.523491199, 0.803673260, -0.851406275, -0.828282429},
         {-0.353070511, -0.308708797, -0.785179982, -0.810664935});
}

TEST_P(MambaValues, GatedDeltaRule) {
  MambaCall delta = call("gated_delta_rule", {3, 1, 2}, {1, 1, 2, 2});
  set(delta, "query", {3, 1, 2}, wave(6, 0.4));
  set(delta, "key", {3, 1, 2}, wave(6, 0.8));
  set(delta, "value", {3, 1, 2}, wave(6, 0.2));
  set(delta, "a", {3, 1}, wave(3, 0.6));
  set(delta, "b", {3, 1}, wave(3, 0.3));
  set(delta, "A_log", {1}, {-0.5});
  set(delta, "dt_bias", {1}, {0.1});
  set(delta, "state", {1, 1, 2, 2}, wave(4, 0.33));
  expect("GDN_ATTN", delta, {0.191073667, 0.349581912, 0.226330585, 0.321170827, -0.342718368, -0.366604309},
         {-0.235710452, -0.495476878, -0.236423679, -0.551164331});
}

// Keys and queries whose squares are beyond float32 have a direction all the same.
TEST_P(MambaValues, GatedDeltaRuleOfVeryLongKeys) {
  const auto long_wave = [](double step) {
    std::vector<double> values = wave(6, step);
    for (double &value : values) value *= 1e20;
    return values;
  };
  MambaCall delta = call("gated_delta_rule", {3, 1, 2}, {1, 1, 2, 2});
  set(delta, "query", {3, 1, 2}, long_wave(0.4));
  set(delta, "key", {3, 1, 2}, long_wave(0.8));
  set(delta, "value", {3, 1, 2}, wave(6, 0.2));
  set(delta, "a", {3, 1}, wave(3, 0.6));
  set(delta, "b", {3, 1}, wave(3, 0.3));
  set(delta, "A_log", {1}, {-0.5});
  set(delta, "dt_bias", {1}, {0.1});
  set(delta, "state", {1, 1, 2, 2}, wave(4, 0.33));
  expect("GDN_ATTN", delta, {0.191073742, 0.349582050, 0.226330767, 0.321171003, -0.342718627, -0.366604612},
         {-0.235710484, -0.495477132, -0.236423745, -0.551164622});
}

BKR_WITH_EVERY_CPU_MAMBA(MambaValues);

}  // namespace
}  // namespace bkr::test
