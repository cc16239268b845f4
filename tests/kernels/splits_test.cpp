// SPDX-License-Identifier: Apache-2.0
// Few requests on many workers: what is worked on in pieces comes to the same as in one.
#include <cmath>

#include "attention_batch.h"
#include "compare_out.h"
#include "plugin_under_test.h"

namespace bkr::test {
namespace {

BatchKind one_long_request() {
  BatchKind kind;
  kind.requests = {{1, 3000}, {2, 5}};
  kind.heads = 4;
  kind.kv_heads = 2;
  kind.head_size = 32;
  kind.block_size = 16;
  return kind;
}

using Splits = CpuAttn;

TEST_P(Splits, AnyNumberOfWorkersComesToTheSame) {
  for (const int64_t queries : {1, 40}) {
    BatchKind kind = one_long_request();
    kind.requests[0].queries = queries;
    AttentionBatch batch(kind);
    ASSERT_EQ(write_kv(batch.write_kv()).status, BKR_OK);
    bkr_attention_forward_params params = batch.forward();
    params.alibi_slopes = batch.alibi_slopes.view();
    params.softcap = 3;
    params.sinks = batch.sinks.view();
    const Reference reference = attention_reference(params);
    std::vector<std::vector<std::byte>> results;
    for (const uint32_t workers : {1, 2, 3, 8, 64}) {
      set_workers(workers);
      ASSERT_EQ(forward(params).status, BKR_OK);
      expect_out(batch.out, reference, std::to_string(workers) + " workers");
      results.push_back(batch.out.memory());
    }
    // Were they all the same bits, nothing would have been in pieces, and nothing tested.
    EXPECT_NE(results.front(), results.back());
  }
}

TEST_P(Splits, PiecesThatARowDoesNotSeeCountNothing) {
  BatchKind kind = one_long_request();
  kind.requests = {{600, 3000}};  // a window slides over several pieces
  AttentionBatch batch(kind);
  ASSERT_EQ(write_kv(batch.write_kv()).status, BKR_OK);
  bkr_attention_forward_params params = batch.forward();
  params.window_left = 20;
  set_workers(200);
  ASSERT_EQ(forward(params).status, BKR_OK);
  expect_out(batch.out, attention_reference(params));
}

TEST_P(Splits, WhatIsNoNumberInOnePieceComesOut) {
  BatchKind kind = one_long_request();
  AttentionBatch batch(kind);
  ASSERT_EQ(write_kv(batch.write_kv()).status, BKR_OK);
  const auto block = static_cast<int64_t>(batch.block_table.at({0, 2500 / 16}));
  batch.kv_cache.set({1, block, 0, 2500 % 16, 3}, NAN);
  set_workers(4);
  ASSERT_EQ(forward(batch.forward()).status, BKR_OK);
  EXPECT_TRUE(std::isnan(batch.out.at({0, 0, 3})));
  EXPECT_FALSE(std::isnan(batch.out.at({0, 0, 4})));
  EXPECT_FALSE(std::isnan(batch.out.at({0, 2, 3}))) << "another key head";
}

BKR_WITH_EVERY_CPU_ATTN(Splits);

using LatentSplits = CpuMla;

TEST_P(LatentSplits, AnyNumberOfWorkersComesToTheSame) {
  for (const int64_t heads : {2, 40}) {
    BatchKind kind;
    kind.latent = true;
    kind.requests = {{1, 2100}};
    kind.heads = heads;
    kind.head_size = 72;
    kind.value_head_size = 64;
    kind.block_size = 16;
    AttentionBatch batch(kind);
    ASSERT_EQ(write_kv(batch.write_kv()).status, BKR_OK);
    const bkr_attention_forward_params params = batch.forward();
    const Reference reference = attention_reference(params);
    std::vector<std::vector<std::byte>> results;
    for (const uint32_t workers : {1, 2, 16}) {
      set_workers(workers);
      ASSERT_EQ(forward(params).status, BKR_OK);
      expect_out(batch.out, reference, std::to_string(workers) + " workers");
      results.push_back(batch.out.memory());
    }
    EXPECT_NE(results.front(), results.back());
  }
}

BKR_WITH_EVERY_CPU_ATTN(LatentSplits);

}  // namespace
}  // namespace bkr::test
