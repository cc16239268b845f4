// SPDX-License-Identifier: Apache-2.0
// Random batches with all options mixed, against plain float64 loops. The cache is filled through write_kv.
#include <cmath>
#include <sstream>

#include "attention_batch.h"
#include "compare_out.h"
#include "plugin_under_test.h"

namespace bkr::test {
namespace {

template <class T>
T one_of(std::mt19937 &random, const std::vector<T> &choices) {
  return choices[random() % choices.size()];
}

std::string describe(const BatchKind &kind, const bkr_attention_forward_params &params) {
  std::ostringstream text;
  text << "seed " << kind.seed << ": " << kind.dtype << " on " << kind.cache_dtype << ", heads " << kind.heads << "/"
       << kind.kv_heads << ", size " << kind.head_size << "/" << kind.value_head_size << ", block " << kind.block_size
       << (kind.scattered ? ", scattered" : "") << ", causal " << params.causal << ", window " << params.window_left
       << "/" << params.window_right << ", softcap " << params.softcap << (params.alibi_slopes ? ", alibi" : "")
       << (params.sinks ? ", sinks" : "") << ", requests";
  for (const Request &request : kind.requests) text << " " << request.queries << "/" << request.seq_len;
  return text.str();
}

BatchKind random_kind(std::mt19937 &random, uint32_t seed) {
  const std::vector<std::string> types = {"float32", "float16", "bfloat16"};
  BatchKind kind;
  kind.seed = seed;
  kind.kv_heads = one_of<int64_t>(random, {1, 2, 3});
  kind.heads = kind.kv_heads * one_of<int64_t>(random, {1, 2, 4, 5, 7});
  kind.head_size = one_of<int64_t>(random, {1, 3, 8, 17, 32, 64, 80, 128});
  if (random() % 4 == 0) kind.value_head_size = 1 + static_cast<int64_t>(random()) % kind.head_size;
  kind.block_size = one_of<int64_t>(random, {1, 3, 16, 32});
  kind.dtype = one_of(random, types);
  kind.cache_dtype = random() % 2 == 0 ? kind.dtype : one_of(random, types);
  kind.scattered = random() % 2 == 0;
  kind.requests.clear();
  const std::size_t count = random() % 4 + 1;
  while (kind.requests.size() < count) {
    const int64_t queries = one_of<int64_t>(random, {0, 1, 1, 2, 5, 33, 70});
    const int64_t context = one_of<int64_t>(random, {0, 0, 1, 7, 31, 100, 290, 530});
    kind.requests.push_back({queries, queries + context});
  }
  return kind;
}

void random_options(std::mt19937 &random, AttentionBatch &batch, bkr_attention_forward_params &params) {
  params.causal = random() % 3 == 0 ? 0 : 1;
  if (random() % 3 == 0) params.window_left = one_of<int32_t>(random, {0, 1, 4, 40, 300});
  if (random() % 4 == 0) params.window_right = one_of<int32_t>(random, {0, 2, 60});
  if (random() % 3 == 0) params.softcap = one_of<double>(random, {0.5, 3.0, 30.0});
  if (random() % 3 == 0) params.alibi_slopes = batch.alibi_slopes.view();
  if (random() % 3 == 0) params.sinks = batch.sinks.view();
}

using AttentionRandom = CpuAttn;

TEST_P(AttentionRandom, AgreesWithPlainLoops) {
  for (uint32_t seed = 1; seed <= 120; ++seed) {
    std::mt19937 random(seed);
    const BatchKind kind = random_kind(random, seed);
    AttentionBatch batch(kind);
    const Outcome written = write_kv(batch.write_kv());
    ASSERT_EQ(written.status, BKR_OK) << written.text;
    bkr_attention_forward_params params = batch.forward();
    random_options(random, batch, params);
    const Outcome outcome = forward(params);
    ASSERT_EQ(outcome.status, BKR_OK) << describe(kind, params) << ": " << outcome.text;
    expect_out(batch.out, attention_reference(params), describe(kind, params));
    if (HasFatalFailure()) return;
  }
}

TEST_P(AttentionRandom, LargeScoresDoNotOverflow) {
  for (const double amplitude : {4.0, 16.0, 64.0}) {
    BatchKind kind;
    kind.requests = {{40, 300}, {1, 400}};
    kind.heads = 4;
    kind.head_size = 64;
    kind.block_size = 16;
    kind.amplitude = amplitude;  // scores of up to some 10^4, far beyond the range of exp
    AttentionBatch batch(kind);
    ASSERT_EQ(write_kv(batch.write_kv()).status, BKR_OK);
    const bkr_attention_forward_params params = batch.forward();
    ASSERT_EQ(forward(params).status, BKR_OK);
    expect_out(batch.out, attention_reference(params));
  }
}

TEST_P(AttentionRandom, LongContextsAgree) {
  for (const char *dtype : {"float32", "bfloat16"}) {
    BatchKind kind;
    kind.requests = {{1, 5000}, {60, 3100}};
    kind.heads = 4;
    kind.kv_heads = 2;
    kind.head_size = 32;
    kind.block_size = 16;
    kind.dtype = dtype;
    kind.cache_dtype = dtype;
    AttentionBatch batch(kind);
    ASSERT_EQ(write_kv(batch.write_kv()).status, BKR_OK);
    const bkr_attention_forward_params params = batch.forward();
    ASSERT_EQ(forward(params).status, BKR_OK);
    expect_out(batch.out, attention_reference(params));
  }
}

TEST_P(AttentionRandom, WhatARowDoesNotSeeCannotHarmIt) {
  for (const int64_t queries : {3, 40}) {  // few rows and many
    BatchKind kind;
    kind.requests = {{queries, 60}};
    kind.heads = 4;
    kind.kv_heads = 2;
    kind.head_size = 20;
    kind.block_size = 16;
    AttentionBatch batch(kind);
    ASSERT_EQ(write_kv(batch.write_kv()).status, BKR_OK);
    // The last token is no number, and the first ones are infinite: seen by the last query, and by none.
    for (const int64_t token : {0, 1, 59}) {
      const auto block = static_cast<int64_t>(batch.block_table.at({0, token / 16}));
      for (int64_t half = 0; half < 2; ++half) {
        for (int64_t d = 0; d < 20; ++d)
          batch.kv_cache.set({half, block, 1, token % 16, d}, token < 2 ? INFINITY : NAN);
      }
    }
    bkr_attention_forward_params params = batch.forward();
    params.window_left = 10;
    ASSERT_EQ(forward(params).status, BKR_OK);
    const Reference reference = attention_reference(params);
    for (int64_t t = 0; t < queries; ++t) {
      for (int64_t h = 0; h < 4; ++h) {
        const double expected = reference.out[static_cast<std::size_t>((t * 4 + h) * 20)];
        const double actual = batch.out.at({t, h, 0});
        EXPECT_EQ(std::isnan(actual), t == queries - 1 && h >= 2) << t << " " << h;
        if (std::isnan(expected)) continue;
        EXPECT_NEAR(actual, expected, 1e-6) << t << " " << h;
      }
    }
  }
}

TEST_P(AttentionRandom, ManyHeadsOnOneKeyHeadAgree) {
  BatchKind kind;
  kind.requests = {{2, 20}, {1, 9}};
  kind.heads = 150;  // more than one task's rows
  kind.head_size = 8;
  kind.block_size = 4;
  AttentionBatch batch(kind);
  ASSERT_EQ(write_kv(batch.write_kv()).status, BKR_OK);
  const bkr_attention_forward_params params = batch.forward();
  ASSERT_EQ(forward(params).status, BKR_OK);
  expect_out(batch.out, attention_reference(params));
}

TEST_P(AttentionRandom, DecodingTokenByTokenEqualsOnePrefill) {
  BatchKind kind;
  kind.requests = {{50, 50}};
  kind.heads = 6;
  kind.kv_heads = 2;
  kind.head_size = 32;
  kind.block_size = 16;
  AttentionBatch all(kind);
  ASSERT_EQ(write_kv(all.write_kv()).status, BKR_OK);
  ASSERT_EQ(forward(all.forward()).status, BKR_OK);
  for (int64_t token = 0; token < 50; ++token) {
    StridedTensor query("float32", {1, 6, 32});
    StridedTensor out("float32", {1, 6, 32});
    StridedTensor start("int32", {2});
    for (int64_t h = 0; h < 6; ++h) {
      for (int64_t d = 0; d < 32; ++d) query.set({0, h, d}, all.query.at({token, h, d}));
    }
    all.seq_lens.with({static_cast<double>(token + 1)});
    bkr_attention_forward_params step = all.forward();
    step.query = query.view();
    step.query_start_loc = start.with({0, 1}).view();
    step.out = out.view();
    ASSERT_EQ(forward(step).status, BKR_OK);
    for (int64_t h = 0; h < 6; ++h) {
      for (int64_t d = 0; d < 32; ++d) ASSERT_NEAR(out.at({0, h, d}), all.out.at({token, h, d}), 2e-6) << token;
    }
  }
}

BKR_WITH_EVERY_CPU_ATTN(AttentionRandom);

}  // namespace
}  // namespace bkr::test
