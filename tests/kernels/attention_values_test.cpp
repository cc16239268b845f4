// SPDX-License-Identifier: Apache-2.0
// A batch of three query tokens whose results are known to nine digits from another implementation: sine waves,
// requests of two queries on three keys and of one query on one key, in blocks of two tokens.
#include <cmath>

#include "attention_batch.h"
#include "plugin_under_test.h"

namespace bkr::test {
namespace {

std::vector<double> wave(std::size_t count, double step) {
  std::vector<double> values;
  for (std::size_t i = 1; i <= count; ++i) values.push_back(std::sin(step * static_cast<double>(i)));
  return values;
}

class AttentionValues : public CpuAttn {
 protected:
  AttentionValues() : batch_(kind()) {
    std::vector<double> cache = wave(32, 0.7);
    const std::vector<double> values = wave(32, 0.11);
    cache.insert(cache.end(), values.begin(), values.end());
    batch_.kv_cache = StridedTensor("float32", {2, 4, 1, 2, 4}).with(cache);
    batch_.query.with(wave(24, 0.3));
    batch_.block_table = StridedTensor("int32", {2, 2}).with({2, 0, 3, 3});
    params_ = batch_.forward();
    params_.scale = 0.5;
  }

  static BatchKind kind() {
    BatchKind kind;
    kind.requests = {{2, 3}, {1, 1}};
    return kind;
  }

  // Rows of a token, all heads one after the other.
  void expect_token(int64_t token, const std::vector<double> &expected) {
    const Outcome outcome = forward(params_);
    ASSERT_EQ(outcome.status, BKR_OK) << outcome.text;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto at = static_cast<int64_t>(i);
      EXPECT_NEAR(batch_.out.at({token, at / 4, at % 4}), expected[i], 5e-7) << "element " << i;
    }
  }

  AttentionBatch batch_;
  bkr_attention_forward_params params_{};
};

TEST_P(AttentionValues, CausalSeesItselfAndWhatCameBefore) {
  expect_token(
      0, {0.897104818, 0.848093968, 0.788831525, 0.720033840, 0.859519610, 0.803516316, 0.737800274, 0.663165847});
}

TEST_P(AttentionValues, OneKeyGivesItsValue) {
  ASSERT_EQ(forward(params_).status, BKR_OK);
  for (int64_t d = 0; d < 4; ++d) {
    EXPECT_FLOAT_EQ(static_cast<float>(batch_.out.at({2, 0, d})),
                    static_cast<float>(batch_.kv_cache.at({1, 3, 0, 0, d})));
  }
}

TEST_P(AttentionValues, WindowOfOneBackSeesTwoKeys) {
  params_.window_left = 1;
  params_.window_right = 0;
  expect_token(
      1, {0.480972860, 0.479182356, 0.471599589, 0.458316218, 0.619027615, 0.576235948, 0.526478854, 0.470357787});
}

TEST_P(AttentionValues, SoftCapBoundsTheScores) {
  params_.softcap = 1.0;
  expect_token(
      1, {0.577822103, 0.569262184, 0.553821135, 0.531685605, 0.673697198, 0.641655163, 0.601856927, 0.554783562});
}

TEST_P(AttentionValues, AlibiFavoursNearKeys) {
  params_.alibi_slopes = batch_.alibi_slopes.with({0.5, 0.25}).view();
  expect_token(
      1, {0.463584723, 0.478432080, 0.487496244, 0.490667649, 0.667955397, 0.632289475, 0.588980562, 0.538552167});
}

TEST_P(AttentionValues, SinksTakeTheirShare) {
  params_.sinks = batch_.sinks.with({1.0, -1.0}).view();
  expect_token(
      1, {0.315719289, 0.310681120, 0.301887497, 0.289444718, 0.599549962, 0.564288392, 0.522205814, 0.473810915});
}

TEST_P(AttentionValues, NotCausalSeesEverything) {
  params_.causal = 0;
  expect_token(
      0, {0.520970584, 0.547185085, 0.566785320, 0.579534365, 0.416243608, 0.457472231, 0.493171019, 0.522908453});
}

BKR_WITH_EVERY_CPU_ATTN(AttentionValues);

}  // namespace
}  // namespace bkr::test
