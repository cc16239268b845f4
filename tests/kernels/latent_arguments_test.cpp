// SPDX-License-Identifier: Apache-2.0
// What a caller of CPU_MLA can get wrong beside what attention_arguments_test.cpp has.
#include "attention_call.h"

namespace bkr::test {
namespace {

struct Call : AttentionCall {
  Call() : AttentionCall(kind()) {}

  static BatchKind kind() {
    BatchKind kind;
    kind.latent = true;
    kind.requests = {{2, 7}, {1, 4}};
    kind.heads = 3;
    kind.head_size = 12;
    kind.value_head_size = 8;
    kind.block_size = 4;
    return kind;  // cache: [5, 4, 12]; block_table [2, 3]
  }
};

using Faults = std::vector<Fault<Call>>;

class LatentArguments : public RefusesFaults<CpuMla, Call> {};

TEST_P(LatentArguments, EveryTensorIsChecked) {
  expect_forward_refuses(faults_of_any<Call>(
      "query", [](Call & c) -> auto & { return c.forward.query; }));
  expect_forward_refuses(faults_of_any<Call>(
      "kv_cache", [](Call & c) -> auto & { return c.forward.kv_cache; }));
  expect_forward_refuses(faults_of_any<Call>(
      "query_start_loc", [](Call & c) -> auto & { return c.forward.query_start_loc; }));
  expect_forward_refuses(faults_of_any<Call>(
      "seq_lens", [](Call & c) -> auto & { return c.forward.seq_lens; }));
  expect_forward_refuses(faults_of_any<Call>(
      "block_table", [](Call & c) -> auto & { return c.forward.block_table; }));
  expect_forward_refuses(faults_of_any<Call>(
      "out", [](Call & c) -> auto & { return c.forward.out; }));
  expect_write_refuses(faults_of_any<Call>(
      "key", [](Call & c) -> auto & { return c.write.key; }));
  expect_write_refuses(faults_of_any<Call>(
      "value", [](Call & c) -> auto & { return c.write.value; }));
  expect_write_refuses(faults_of_any<Call>(
      "kv_cache", [](Call & c) -> auto & { return c.write.kv_cache; }));
  expect_write_refuses(faults_of_any<Call>(
      "slot_mapping", [](Call & c) -> auto & { return c.write.slot_mapping; }));
}

TEST_P(LatentArguments, ShapesMustFit) {
  const auto forward = [](const DLTensor *bkr_attention_forward_params::*field, int d, int64_t size) {
    return [=](Call &call) { Call::edit(call.forward.*field).shape[d] = size; };
  };
  using F = bkr_attention_forward_params;
  expect_forward_refuses({
      {{"query's dimension 2", "kv_cache's dimension 2", "11"}, forward(&F::kv_cache, 2, 11)},
      {{"kv_cache's dimension 1", "0"}, forward(&F::kv_cache, 1, 0)},
      {{"out's dimension 2", "7", "8"}, forward(&F::out, 2, 7)},
      {{"out's dimension 1", "query's dimension 1"}, forward(&F::out, 1, 2)},
      {{"value_head_size is 0"}, [](Call &c) { c.forward.value_head_size = 0; }},
      {{"value_head_size is 13", "kv_cache's dimension 2"}, [](Call &c) { c.forward.value_head_size = 13; }},
      {{"value_head_size is -2"}, [](Call &c) { c.forward.value_head_size = -2; }},
      {{"seq_lens[1] is 13", "block_table has 3 blocks"}, [](Call &c) { c.batch.seq_lens.set({1}, 13); }},
      {{"block_table[1,0] is 5", "kv_cache has 5 blocks (dimension 0)"},
       [](Call &c) {
         c.batch.block_table.set({1, 0}, 5);
       }},
  });
  const auto write = [](const DLTensor *bkr_attention_write_kv_params::*field, int d, int64_t size) {
    return [=](Call &call) { Call::edit(call.write.*field).shape[d] = size; };
  };
  using W = bkr_attention_write_kv_params;
  expect_write_refuses({
      {{"key's dimension 1", "0", "1"}, write(&W::key, 1, 0)},
      {{"value's dimension 1", "0", "1"}, write(&W::value, 1, 0)},
      {{"key's dimension 2", "7", "kv_cache's dimension 2"}, write(&W::key, 2, 7)},
      {{"value's is 3", "kv_cache's dimension 2"}, write(&W::value, 2, 3)},
      {{"value's dimension 2", "0"}, write(&W::value, 2, 0)},
      {{"value's dimension 0", "key's dimension 0"}, write(&W::value, 0, 12)},
      {{"slot_mapping's dimension 0", "key's dimension 0"}, write(&W::slot_mapping, 0, 12)},
      {{"slot_mapping[3] is 20", "5 blocks (dimension 0)", "4 tokens (dimension 1)"},
       [](Call &c) { c.batch.slot_mapping.set({3}, 20); }},
      {{"kv_cache", "stride of dimension 0", "overlap"}, [](Call &c) { Call::edit(c.write.kv_cache).strides[0] = 0; }},
      {{"reserved0 is 1"}, [](Call &c) { c.write.reserved0 = 1; }},
  });
}

TEST_P(LatentArguments, WhatLatentAttentionHasNotIsUnsupported) {
  StridedTensor three("float32", {3});
  expect_forward_refuses({
      {{"alibi_slopes"}, [&](Call &c) { c.forward.alibi_slopes = three.view(); }, BKR_UNSUPPORTED},
      {{"sinks"}, [&](Call &c) { c.forward.sinks = three.view(); }, BKR_UNSUPPORTED},
      {{"window_left"}, [](Call &c) { c.forward.window_left = 3; }, BKR_UNSUPPORTED},
      {{"window_right"}, [](Call &c) { c.forward.window_right = 0; }, BKR_UNSUPPORTED},
      {{"softcap"}, [](Call &c) { c.forward.softcap = 2; }, BKR_UNSUPPORTED},
      {{"kv_cache_dtype"}, [](Call &c) { c.forward.kv_cache_dtype = BKR_KV_CACHE_FP8_E4M3; }, BKR_UNSUPPORTED},
      {{"attn_type is 1"},
       [](Call &c) { c.forward.attn_type = BKR_ATTN_ENCODER, c.forward.causal = 0; },
       BKR_UNSUPPORTED},
      {{"attn_type is 3"},
       [](Call &c) { c.forward.attn_type = BKR_ATTN_ENCODER_DECODER, c.forward.causal = 0; },
       BKR_UNSUPPORTED},
      {{"attn_type is 9"}, [](Call &c) { c.forward.attn_type = 9; }},
      {{"flags is 1"}, [](Call &c) { c.forward.flags = 1; }},
      {{"scale"}, [](Call &c) { c.forward.scale = std::numeric_limits<double>::infinity(); }},
  });
}

TEST_P(LatentArguments, StreamsAreRefusedOnACpu) {
  Call call;
  int stream = 0;
  EXPECT_EQ(attention().forward(backend(), &call.forward, &stream, nullptr), BKR_INVALID_ARGUMENT);
  EXPECT_EQ(attention().write_kv(backend(), &call.write, &stream, nullptr), BKR_INVALID_ARGUMENT);
}

BKR_WITH_EVERY_CPU_ATTN(LatentArguments);

}  // namespace
}  // namespace bkr::test
