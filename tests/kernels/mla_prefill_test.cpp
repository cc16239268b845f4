// SPDX-License-Identifier: Apache-2.0
// MLA prefill and merge, against plain float64 loops and known values.
#include <limits>

#include "compare_out.h"
#include "mla_prefill_batch.h"
#include "mla_prefill_reference.h"
#include "plugin_under_test.h"

namespace bkr::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
T one_of(std::mt19937 &random, const std::vector<T> &choices) {
  return choices[random() % choices.size()];
}

auto wave(double step) {
  return [step, i = 0]() mutable { return std::sin(step * ++i); };
}

class Prefill : public MlaPrefill {
 protected:
  static void expect_lse(PrefillBatch &batch, const PrefillReference &reference) {
    const int64_t tokens = batch.lse.size(1);
    for (int64_t h = 0; h < batch.lse.size(0); ++h) {
      for (int64_t t = 0; t < tokens; ++t) {
        const double expected = reference.lse[static_cast<std::size_t>(h * tokens + t)];
        const double actual = batch.lse.at({h, t});
        if (actual == expected) continue;  // -inf
        ASSERT_NEAR(actual, expected, 2e-6 * (1 + std::fabs(expected))) << h << " " << t;
      }
    }
  }

  bkr_mla_merge_params merge_of(PrefillBatch &a, PrefillBatch &b, StridedTensor &out, StridedTensor &lse) {
    bkr_mla_merge_params params{};
    params.struct_size = sizeof params;
    params.out_a = a.out.view();
    params.lse_a = a.lse.view();
    params.out_b = b.out.view();
    params.lse_b = b.lse.view();
    params.out = out.view();
    params.lse = lse.view();
    return params;
  }
};

TEST_P(Prefill, KnownValues) {
  // One head, sizes 3 and 2, requests of two tokens and of one; nine digits from another implementation.
  PrefillKind kind;
  kind.requests = {{2, 2}, {1, 1}};
  kind.heads = 1;
  kind.head_size = 3;
  kind.value_head_size = 2;
  PrefillBatch batch(kind);
  batch.query.fill(wave(0.4));
  batch.key.fill(wave(0.9));
  batch.value.fill(wave(0.2));
  bkr_mla_prefill_params params = batch.prefill();
  params.scale = 0.5;
  ASSERT_EQ(prefill(params).status, BKR_OK);
  const double out[] = {0.198669331, 0.389418342, 0.246071373, 0.431893915, 0.841470985, 0.932039086};
  const double lse[] = {0.700986075, 1.117308974, -0.234946647};
  for (int64_t i = 0; i < 6; ++i) EXPECT_NEAR(batch.out.at({i / 2, 0, i % 2}), out[i], 1e-7) << i;
  for (int64_t i = 0; i < 3; ++i) EXPECT_NEAR(batch.lse.at({0, i}), lse[i], 2e-7) << i;
}

TEST_P(Prefill, KnownValuesOfContextAndSuffix) {
  PrefillKind kind;
  kind.heads = 1;
  kind.head_size = 3;
  kind.value_head_size = 2;
  kind.requests = {{2, 2}};
  PrefillBatch suffix(kind);
  kind.requests = {{2, 1}};
  PrefillBatch context(kind);
  suffix.query.fill(wave(0.4));
  context.query.fill(wave(0.4));
  suffix.key.fill(wave(0.9));
  suffix.value.fill(wave(0.2));
  context.key.fill(wave(1.3));
  context.value.fill(wave(1.7));
  bkr_mla_prefill_params params = suffix.prefill();
  params.scale = 0.5;
  ASSERT_EQ(prefill(params).status, BKR_OK);
  params = context.prefill();
  params.scale = 0.5;
  params.causal = 0;
  ASSERT_EQ(prefill(params).status, BKR_OK);
  StridedTensor out("float32", {2, 1, 2});
  StridedTensor lse("float32", {1, 2});
  ASSERT_EQ(merge(merge_of(context, suffix, out, lse)).status, BKR_OK);
  const double expected[] = {0.470839731, 0.168056589, 0.504557296, 0.193570634};
  for (int64_t i = 0; i < 4; ++i) EXPECT_NEAR(out.at({i / 2, 0, i % 2}), expected[i], 1e-7) << i;
}

TEST_P(Prefill, AgreesWithPlainLoops) {
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    PrefillKind kind;
    kind.seed = seed;
    kind.heads = one_of<int64_t>(random, {1, 2, 5});
    kind.head_size = one_of<int64_t>(random, {1, 3, 24, 64, 100, 192});
    kind.value_head_size = one_of<int64_t>(random, {1, 5, 24, 64, 128, 130});
    kind.dtype = one_of<std::string>(random, {"float32", "float16", "bfloat16"});
    kind.scattered = random() % 2 == 0;
    kind.requests.clear();
    const bool causal = random() % 2 == 0;
    for (std::size_t count = random() % 4 + 1; count > 0; --count) {
      const int64_t queries = one_of<int64_t>(random, {0, 1, 7, 33, 140});
      kind.requests.push_back({queries, causal ? queries : one_of<int64_t>(random, {0, 1, 30, 270, 600})});
    }
    PrefillBatch batch(kind);
    bkr_mla_prefill_params params = batch.prefill();
    params.causal = causal ? 1 : 0;
    if (seed % 7 == 0) params.lse = nullptr;
    set_workers(seed % 4 + 1);
    const Outcome outcome = prefill(params);
    ASSERT_EQ(outcome.status, BKR_OK) << outcome.text;
    const PrefillReference reference = mla_prefill_reference(params);
    expect_out(batch.out, reference, "seed " + std::to_string(seed));
    if (params.lse != nullptr) expect_lse(batch, reference);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Prefill, ContextChunksAndSuffixMergedAreFullAttention) {
  for (const char *dtype : {"float32", "bfloat16"}) {
    // 50 tokens of which 40 are context, in chunks of 25 and 15.
    PrefillKind kind;
    kind.heads = 3;
    kind.head_size = 24;
    kind.value_head_size = 16;
    kind.dtype = dtype;
    kind.requests = {{50, 50}};
    PrefillBatch full(kind);
    ASSERT_EQ(prefill(full.prefill()).status, BKR_OK);

    const auto part = [&](int64_t first, int64_t keys) {
      kind.requests = {{10, keys}};
      PrefillBatch batch(kind);
      const auto copy = [](StridedTensor &to, StridedTensor &from, int64_t offset) {
        to.fill([&, i = int64_t{-1}]() mutable {
          ++i;
          const int64_t row = to.size(1) * to.size(2);
          return from.at({offset + i / row, i % row / to.size(2), i % to.size(2)});
        });
      };
      copy(batch.query, full.query, 40);
      copy(batch.key, full.key, first);
      copy(batch.value, full.value, first);
      bkr_mla_prefill_params params = batch.prefill();
      params.causal = first == 40 ? 1 : 0;
      EXPECT_EQ(prefill(params).status, BKR_OK);
      return batch;
    };
    PrefillBatch first = part(0, 25);
    PrefillBatch second = part(25, 15);
    PrefillBatch suffix = part(40, 10);
    // In place: into the first part, then into the suffix.
    const Outcome merged = merge(merge_of(first, second, first.out, first.lse));
    ASSERT_EQ(merged.status, BKR_OK) << merged.text;
    ASSERT_EQ(merge(merge_of(first, suffix, suffix.out, suffix.lse)).status, BKR_OK);
    const double rounded = std::string(dtype) == "float32" ? 0 : 3 * std::ldexp(1.0, -8);
    for (int64_t t = 0; t < 10; ++t) {
      for (int64_t h = 0; h < 3; ++h) {
        EXPECT_NEAR(suffix.lse.at({h, t}), full.lse.at({h, 40 + t}), 2e-6);
        for (int64_t d = 0; d < 16; ++d) {
          ASSERT_NEAR(suffix.out.at({t, h, d}), full.out.at({40 + t, h, d}), 1e-6 + rounded) << t << " " << h;
        }
      }
    }
  }
}

TEST_P(Prefill, WhatARowDoesNotSeeCannotHarmIt) {
  for (const int64_t tokens : {5, 60}) {  // few rows and many
    PrefillKind kind;
    kind.requests = {{tokens, tokens}, {4, 4}};
    PrefillBatch batch(kind);
    for (int64_t d = 0; d < 8; ++d) batch.value.set({tokens - 1, 1, d}, NAN);
    for (int64_t d = 0; d < 12; ++d) batch.key.set({tokens - 1, 1, d}, NAN);
    ASSERT_EQ(prefill(batch.prefill()).status, BKR_OK);
    for (int64_t t = 0; t < tokens + 4; ++t) {
      EXPECT_FALSE(std::isnan(batch.out.at({t, 0, 0}))) << t;
      EXPECT_EQ(std::isnan(batch.out.at({t, 1, 0})), t == tokens - 1) << t;
      EXPECT_EQ(std::isnan(batch.lse.at({1, t})), t == tokens - 1) << t;
    }
  }
}

TEST_P(Prefill, ARowWithoutKeysIsZeroWithoutWeight) {
  PrefillKind kind;
  kind.requests = {{3, 0}, {1, 2}};
  PrefillBatch batch(kind);
  bkr_mla_prefill_params params = batch.prefill();
  params.causal = 0;
  ASSERT_EQ(prefill(params).status, BKR_OK);
  EXPECT_EQ(batch.out.at({2, 1, 7}), 0.0);
  EXPECT_EQ(batch.lse.at({1, 2}), -kInfinity);
  EXPECT_GT(batch.lse.at({1, 3}), -kInfinity);
}

TEST_P(Prefill, MergeWeighsByTheLargerOfBoth) {
  PrefillKind kind;
  kind.requests = {{4, 4}};
  kind.heads = 1;
  kind.value_head_size = 3;
  PrefillBatch a(kind);
  PrefillBatch b(kind);
  a.out.fill([] { return 2.0; });
  b.out.fill([] { return 6.0; });
  // Far beyond the range of exp; a part that counts nothing and holds nothing of use; two such parts.
  a.lse.with({1000, 1000 + std::log(3.0), 0.5, -kInfinity});
  b.lse.with({1000, 1000, -kInfinity, -kInfinity});
  for (int64_t d = 0; d < 3; ++d) b.out.set({2, 0, d}, NAN), b.out.set({3, 0, d}, kInfinity), a.out.set({3, 0, d}, NAN);
  StridedTensor out("float32", {4, 1, 3}, {1, 0, 2}, 2);
  StridedTensor lse("float32", {1, 4});
  const Outcome outcome = merge(merge_of(a, b, out, lse));
  ASSERT_EQ(outcome.status, BKR_OK) << outcome.text;
  const double expected[] = {4, 3, 2, 0};
  const double expected_lse[] = {1000 + std::log(2.0), 1000 + std::log(4.0), 0.5, -kInfinity};
  for (int64_t t = 0; t < 4; ++t) {
    EXPECT_NEAR(out.at({t, 0, 2}), expected[t], 1e-4) << t;
    EXPECT_TRUE(lse.at({0, t}) == expected_lse[t] || std::fabs(lse.at({0, t}) - expected_lse[t]) < 1e-4) << t;
  }
  bkr_mla_merge_params without = merge_of(a, b, out, lse);
  without.lse = nullptr;
  EXPECT_EQ(merge(without).status, BKR_OK);
}

BKR_WITH_EVERY_CPU_ATTN(Prefill);

}  // namespace
}  // namespace bkr::test
