// SPDX-License-Identifier: Apache-2.0
// CPU_MLA: attention over a cache of latent rows, against plain float64 loops and known values.
#include <cmath>

#include "attention_batch.h"
#include "compare_out.h"
#include "plugin_under_test.h"

namespace bkr::test {
namespace {

template <class T>
T one_of(std::mt19937 &random, const std::vector<T> &choices) {
  return choices[random() % choices.size()];
}

BatchKind latent_kind() {
  BatchKind kind;
  kind.latent = true;
  kind.kv_heads = 1;
  kind.head_size = 576;
  kind.value_head_size = 512;
  kind.block_size = 16;
  return kind;
}

class Latent : public CpuMla {
 protected:
  void expect_agrees(const BatchKind &kind, int causal = 1) {
    AttentionBatch batch(kind);
    const Outcome written = write_kv(batch.write_kv());
    ASSERT_EQ(written.status, BKR_OK) << written.text;
    bkr_attention_forward_params params = batch.forward();
    params.causal = causal;
    const Outcome outcome = forward(params);
    ASSERT_EQ(outcome.status, BKR_OK) << outcome.text;
    expect_out(batch.out, attention_reference(params), "seed " + std::to_string(kind.seed));
  }
};

TEST_P(Latent, KnownValues) {
  // Two heads on rows of three elements, two of them the value; three tokens in blocks of two, which lie in block 2
  // and block 0. Sine waves; the results are known to nine digits from another implementation.
  const auto wave = [](double step) { return [step, i = 0]() mutable { return std::sin(step * ++i); }; };
  BatchKind kind;
  kind.latent = true;
  kind.requests = {{1, 3}};
  kind.head_size = 3;
  kind.value_head_size = 2;
  AttentionBatch batch(kind);
  batch.kv_cache = StridedTensor("float32", {3, 2, 3});
  batch.kv_cache.fill(wave(0.21));
  batch.query.fill(wave(0.5));
  batch.block_table = StridedTensor("int32", {1, 2}).with({2, 0});
  bkr_attention_forward_params params = batch.forward();
  params.scale = 0.577;
  ASSERT_EQ(forward(params).status, BKR_OK);
  const double expected[] = {0.209158523, 0.211345677, 0.190820475, 0.149159243};
  for (int64_t i = 0; i < 4; ++i) EXPECT_NEAR(batch.out.at({0, i / 2, i % 2}), expected[i], 5e-8) << i;
}

TEST_P(Latent, AgreesWithPlainLoops) {
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    BatchKind kind = latent_kind();
    kind.seed = seed;
    kind.head_size = one_of<int64_t>(random, {2, 9, 40, 96, 192});
    kind.value_head_size = 1 + static_cast<int64_t>(random()) % (kind.head_size - 1);
    kind.heads = one_of<int64_t>(random, {1, 3, 16, 40});
    kind.block_size = one_of<int64_t>(random, {1, 3, 16});
    kind.dtype = one_of<std::string>(random, {"float32", "float16", "bfloat16"});
    kind.cache_dtype = random() % 2 == 0 ? kind.dtype : one_of<std::string>(random, {"float32", "float16", "bfloat16"});
    kind.scattered = random() % 2 == 0;
    kind.requests.clear();
    for (std::size_t count = random() % 4 + 1; count > 0; --count) {
      const int64_t queries = one_of<int64_t>(random, {0, 1, 1, 1, 4, 33});
      kind.requests.push_back({queries, queries + one_of<int64_t>(random, {0, 1, 15, 100, 300})});
    }
    set_workers(seed % 4 + 1);
    expect_agrees(kind, seed % 5 == 0 ? 0 : 1);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Latent, RowsOf576Agree) {
  for (const char *dtype : {"float32", "float16", "bfloat16"}) {
    BatchKind kind = latent_kind();
    kind.requests = {{1, 700}, {1, 64}, {3, 20}};
    kind.heads = 20;
    kind.dtype = dtype;
    kind.cache_dtype = dtype;
    expect_agrees(kind);
    kind.heads = 4;
    set_workers(3);
    expect_agrees(kind);
  }
}

TEST_P(Latent, SeveralTokensOfARequestAgreeWithOneByOne) {
  BatchKind kind = latent_kind();
  kind.requests = {{6, 30}};
  AttentionBatch all(kind);
  ASSERT_EQ(write_kv(all.write_kv()).status, BKR_OK);
  ASSERT_EQ(forward(all.forward()).status, BKR_OK);
  for (int64_t token = 0; token < 6; ++token) {
    StridedTensor query("float32", {1, 2, 576});
    StridedTensor out("float32", {1, 2, 512});
    StridedTensor start("int32", {2});
    query.fill([&, i = -1]() mutable {
      ++i;
      return all.query.at({token, i / 576, i % 576});
    });
    all.seq_lens.with({static_cast<double>(25 + token)});
    bkr_attention_forward_params step = all.forward();
    step.query = query.view();
    step.query_start_loc = start.with({0, 1}).view();
    step.out = out.view();
    ASSERT_EQ(forward(step).status, BKR_OK);
    for (int64_t i = 0; i < 1024; ++i) {
      ASSERT_NEAR(out.at({0, i / 512, i % 512}), all.out.at({token, i / 512, i % 512}), 2e-6) << token;
    }
  }
}

TEST_P(Latent, WhatARowDoesNotSeeCannotHarmIt) {
  for (const int64_t queries : {2, 30}) {  // few rows and many
    BatchKind kind = latent_kind();
    kind.requests = {{queries, 40}};
    kind.head_size = 20;
    kind.value_head_size = 16;
    AttentionBatch batch(kind);
    ASSERT_EQ(write_kv(batch.write_kv()).status, BKR_OK);
    // The last token, which only the last query sees, is no number.
    const auto block = static_cast<int64_t>(batch.block_table.at({0, 39 / 16}));
    for (int64_t d = 0; d < 20; ++d) batch.kv_cache.set({block, 39 % 16, d}, NAN);
    const bkr_attention_forward_params params = batch.forward();
    ASSERT_EQ(forward(params).status, BKR_OK);
    const Reference reference = attention_reference(params);
    for (int64_t t = 0; t < queries; ++t) {
      const double actual = batch.out.at({t, 1, 3});
      EXPECT_EQ(std::isnan(actual), t == queries - 1) << t;
      if (t == queries - 1) continue;
      EXPECT_NEAR(actual, reference.out[static_cast<std::size_t>((t * 2 + 1) * 16 + 3)], 1e-6);
    }
  }
}

TEST_P(Latent, WriteKvPutsKeyAndValueIntoOneRow) {
  for (const char *cache_dtype : {"float32", "float16"}) {
    BatchKind kind = latent_kind();
    kind.requests = {{0, 11}, {0, 3}};
    kind.block_size = 4;
    kind.cache_dtype = cache_dtype;
    kind.scattered = true;
    AttentionBatch batch(kind);
    StridedTensor expected = batch.kv_cache;  // no number, where no token goes
    for (int64_t t = 0; t < batch.key.size(0); ++t) {
      const auto slot = static_cast<int64_t>(batch.slot_mapping.at({t}));
      if (slot < 0) continue;
      for (int64_t d = 0; d < 512; ++d) expected.set({slot / 4, slot % 4, d}, batch.key.at({t, 0, d}));
      for (int64_t d = 0; d < 64; ++d) expected.set({slot / 4, slot % 4, 512 + d}, batch.value.at({t, 0, d}));
    }
    const Outcome outcome = write_kv(batch.write_kv());
    ASSERT_EQ(outcome.status, BKR_OK) << outcome.text;
    EXPECT_EQ(batch.kv_cache.memory(), expected.memory()) << cache_dtype;
  }
}

TEST_P(Latent, ShapeIsThatOfRows) {
  int64_t shape[BKR_KV_CACHE_MAX_DIMS] = {};
  int32_t ndim = 0;
  bkr_attention_kv_cache_params params{sizeof params, 0, 10, 16, 1, 576, 512, shape, &ndim};
  ASSERT_EQ(attention().kv_cache_shape(backend(), &params, nullptr, nullptr), BKR_OK);
  EXPECT_EQ(Shape(shape, shape + ndim), (Shape{10, 16, 576}));
  params.num_kv_heads = 2;
  const Outcome outcome = call(attention().kv_cache_shape, params);
  EXPECT_EQ(outcome.status, BKR_INVALID_ARGUMENT);
  EXPECT_NE(outcome.text.find("num_kv_heads is 2"), std::string::npos) << outcome.text;
}

BKR_WITH_EVERY_CPU_ATTN(Latent);

}  // namespace
}  // namespace bkr::test
