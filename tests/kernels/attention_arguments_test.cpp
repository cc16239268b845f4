// SPDX-License-Identifier: Apache-2.0
// What a caller can get wrong: each fault is BKR_INVALID_ARGUMENT (or BKR_UNSUPPORTED), the text names the tensor and
// the dimension or element, and nothing has been written.
#include "attention_call.h"

namespace bkr::test {
namespace {

struct Call : AttentionCall {
  Call() : AttentionCall(kind()) {}

  static BatchKind kind() {
    BatchKind kind;
    kind.requests = {{2, 7}, {1, 4}};
    kind.heads = 4;
    kind.kv_heads = 2;
    kind.head_size = 8;
    kind.block_size = 4;
    return kind;  // cache: 5 blocks; block_table [2, 3]
  }
};

using Faults = std::vector<Fault<Call>>;

class AttentionArguments : public RefusesFaults<CpuAttn, Call> {};

TEST_P(AttentionArguments, InOrderTheyAreAccepted) {
  Call call;
  const Outcome written = write_kv(call.write);
  EXPECT_EQ(written.status, BKR_OK) << written.text;
  const Outcome outcome = forward(call.forward);
  EXPECT_EQ(outcome.status, BKR_OK) << outcome.text;
}

TEST_P(AttentionArguments, EveryTensorOfForwardIsChecked) {
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
}

TEST_P(AttentionArguments, EveryTensorOfWriteKvIsChecked) {
  expect_write_refuses(faults_of_any<Call>(
      "key", [](Call & c) -> auto & { return c.write.key; }));
  expect_write_refuses(faults_of_any<Call>(
      "value", [](Call & c) -> auto & { return c.write.value; }));
  expect_write_refuses(faults_of_any<Call>(
      "kv_cache", [](Call & c) -> auto & { return c.write.kv_cache; }));
  expect_write_refuses(faults_of_any<Call>(
      "slot_mapping", [](Call & c) -> auto & { return c.write.slot_mapping; }));
}

TEST_P(AttentionArguments, ShapesMustFit) {
  const auto set = [](const DLTensor *bkr_attention_forward_params::*field, int d, int64_t size) {
    return [=](Call &call) { Call::edit(call.forward.*field).shape[d] = size; };
  };
  using F = bkr_attention_forward_params;
  expect_forward_refuses({
      {{"out's dimension 0", "query's dimension 0"}, set(&F::out, 0, 2)},
      {{"out's dimension 1", "query's dimension 1"}, set(&F::out, 1, 2)},
      {{"out's dimension 2", "4", "8"}, set(&F::out, 2, 4)},
      {{"query's dimension 2", "kv_cache's dimension 4"}, set(&F::kv_cache, 4, 4)},
      {{"query's dimension 1", "kv_cache's dimension 2", "divide"}, set(&F::query, 1, 3)},
      {{"query's dimension 1", "0"}, set(&F::query, 1, 0)},
      {{"query's dimension 2", "0"}, set(&F::query, 2, 0)},
      {{"kv_cache's dimension 0", "1", "2"}, set(&F::kv_cache, 0, 1)},
      {{"kv_cache's dimension 2", "0"}, set(&F::kv_cache, 2, 0)},
      {{"kv_cache's dimension 3", "0"}, set(&F::kv_cache, 3, 0)},
      {{"seq_lens's dimension 0", "1", "2"}, set(&F::seq_lens, 0, 1)},
      {{"block_table's dimension 0", "1", "2"}, set(&F::block_table, 0, 1)},
      {{"query_start_loc's dimension 0", "0"}, set(&F::query_start_loc, 0, 0)},
  });
}

TEST_P(AttentionArguments, StridesMustBeUsable) {
  expect_forward_refuses({
      {{"query", "stride of dimension 2", "must be 1"}, [](Call &c) { Call::edit(c.forward.query).strides[2] = 2; }},
      {{"out", "stride of dimension 2", "must be 1"}, [](Call &c) { Call::edit(c.forward.out).strides[2] = 2; }},
      {{"kv_cache", "stride of dimension 4"}, [](Call &c) { Call::edit(c.forward.kv_cache).strides[4] = 3; }},
      {{"out", "stride of dimension 1", "overlap"}, [](Call &c) { Call::edit(c.forward.out).strides[1] = 7; }},
      {{"out", "stride of dimension 0", "overlap"}, [](Call &c) { Call::edit(c.forward.out).strides[0] = 0; }},
  });
  expect_write_refuses({
      {{"kv_cache", "stride of dimension 0", "overlap"}, [](Call &c) { Call::edit(c.write.kv_cache).strides[0] = 0; }},
      {{"kv_cache", "stride of dimension 3", "overlap"}, [](Call &c) { Call::edit(c.write.kv_cache).strides[3] = 1; }},
  });
}

TEST_P(AttentionArguments, IndicesMustLieInside) {
  expect_forward_refuses({
      {{"block_table[1,0] is 5", "kv_cache has 5 blocks (dimension 1)"},
       [](Call &c) {
         c.batch.block_table.set({1, 0}, 5);
       }},
      {{"block_table[0,1] is -1", "kv_cache"},
       [](Call &c) {
         c.batch.block_table.set({0, 1}, -1);
       }},
      {{"query_start_loc[0] is 1"}, [](Call &c) { c.batch.query_start_loc.set({0}, 1); }},
      {{"query_start_loc[1] is -2"}, [](Call &c) { c.batch.query_start_loc.set({1}, -2); }},
      {{"query_start_loc[2] is 3", "query_start_loc[1], 4"}, [](Call &c) { c.batch.query_start_loc.set({1}, 4); }},
      {{"query_start_loc[2] is 2", "query's dimension 0", "3"}, [](Call &c) { c.batch.query_start_loc.set({2}, 2); }},
      {{"seq_lens[0] is -1"}, [](Call &c) { c.batch.seq_lens.set({0}, -1); }},
      {{"seq_lens[0] is 1", "2 query tokens"}, [](Call &c) { c.batch.seq_lens.set({0}, 1); }},
      {{"seq_lens[1] is 13", "block_table has 3 blocks"}, [](Call &c) { c.batch.seq_lens.set({1}, 13); }},
      {{"seq_lens[1] is 2147483647"}, [](Call &c) { c.batch.seq_lens.set({1}, 2147483647); }},
  });
  expect_write_refuses({
      {{"slot_mapping[3] is 20", "5 blocks", "4 tokens"}, [](Call &c) { c.batch.slot_mapping.set({3}, 20); }},
      {{"slot_mapping[0] is 9223372036854774784"},  // the largest int64 that is a double as well
       [](Call &c) { c.batch.slot_mapping.set({0}, 9223372036854774784.0); }},
  });
}

TEST_P(AttentionArguments, KeysAndValuesMustFitTheCache) {
  const auto set = [](const DLTensor *bkr_attention_write_kv_params::*field, int d, int64_t size) {
    return [=](Call &call) { Call::edit(call.write.*field).shape[d] = size; };
  };
  using W = bkr_attention_write_kv_params;
  expect_write_refuses({
      {{"key's dimension 1", "kv_cache's dimension 2"}, set(&W::key, 1, 1)},
      {{"key's dimension 2", "kv_cache's dimension 4"}, set(&W::key, 2, 7)},
      {{"value's dimension 0", "key's dimension 0"}, set(&W::value, 0, 12)},
      {{"value's dimension 1", "kv_cache's dimension 2"}, set(&W::value, 1, 1)},
      {{"value's dimension 2", "kv_cache's dimension 4"}, set(&W::value, 2, 9)},
      {{"slot_mapping's dimension 0", "key's dimension 0"}, set(&W::slot_mapping, 0, 12)},
      {{"value's elements are float16", "key's are float32"},
       [](Call &c) {
         Call::edit(c.write.value).dtype = {kDLFloat, 16, 1};
       }},
  });
}

TEST_P(AttentionArguments, OptionsMustMakeSense) {
  expect_forward_refuses({
      {{"flags is 1"}, [](Call &c) { c.forward.flags = 1; }},
      {{"attn_type is 4"}, [](Call &c) { c.forward.attn_type = 4; }},
      {{"causal is 2"}, [](Call &c) { c.forward.causal = 2; }},
      {{"causal is 1", "attn_type"}, [](Call &c) { c.forward.attn_type = BKR_ATTN_ENCODER_DECODER; }},
      {{"window_left is -2"}, [](Call &c) { c.forward.window_left = -2; }},
      {{"window_right is -9"}, [](Call &c) { c.forward.window_right = -9; }},
      {{"scale"}, [](Call &c) { c.forward.scale = std::numeric_limits<double>::quiet_NaN(); }},
      {{"scale"}, [](Call &c) { c.forward.scale = 1e300; }},
      {{"softcap is -1"}, [](Call &c) { c.forward.softcap = -1; }},
      {{"key_scale"}, [](Call &c) { c.forward.key_scale = 1; }},
      {{"value_head_size is -1"}, [](Call &c) { c.forward.value_head_size = -1; }},
      {{"value_head_size is 9", "kv_cache's dimension 4"}, [](Call &c) { c.forward.value_head_size = 9; }},
      {{"out's dimension 2"}, [](Call &c) { c.forward.value_head_size = 7; }},
      {{"kv_cache_dtype is 3"}, [](Call &c) { c.forward.kv_cache_dtype = 3; }},
      {{"kv_cache_dtype"}, [](Call &c) { c.forward.kv_cache_dtype = BKR_KV_CACHE_FP8_E4M3; }, BKR_UNSUPPORTED},
      {{"kv_cache has 3 dimensions", "5"}, [](Call &c) { Call::edit(c.forward.kv_cache).ndim = 3; }},
      {{"struct_size"}, [](Call &c) { c.forward.struct_size -= 8; }},
  });
  expect_write_refuses({
      {{"flags is 1"}, [](Call &c) { c.write.flags = 1; }},
      {{"reserved0 is 1"}, [](Call &c) { c.write.reserved0 = 1; }},
      {{"kv_cache_dtype"}, [](Call &c) { c.write.kv_cache_dtype = BKR_KV_CACHE_FP8_E5M2; }, BKR_UNSUPPORTED},
      {{"struct_size"}, [](Call &c) { c.write.struct_size -= 8; }},
  });
}

TEST_P(AttentionArguments, NumbersOfHeadsMustFit) {
  StridedTensor three("float32", {3});
  StridedTensor four("float16", {4});
  StridedTensor whole("int32", {4});
  expect_forward_refuses({
      {{"alibi_slopes's dimension 0", "query's dimension 1"}, [&](Call &c) { c.forward.alibi_slopes = three.view(); }},
      {{"alibi_slopes", "float16", "float32"}, [&](Call &c) { c.forward.alibi_slopes = four.view(); }},
      {{"sinks's dimension 0", "query's dimension 1"}, [&](Call &c) { c.forward.sinks = three.view(); }},
      {{"sinks", "int32"}, [&](Call &c) { c.forward.sinks = whole.view(); }},
      {{"out's elements are float16", "query's are float32"},
       [&](Call &c) {
         Call::edit(c.forward.out).dtype = {kDLFloat, 16, 1};
       }},
  });
}

TEST_P(AttentionArguments, EncoderTensorsMustFitEachOther) {
  StridedTensor key("float32", {3, 2, 8});
  StridedTensor short_key("float32", {2, 2, 8});
  StridedTensor half_key("float16", {3, 2, 8});
  StridedTensor three_heads("float32", {3, 3, 8});
  StridedTensor narrow("float32", {3, 2, 6});
  const auto encoder = [](StridedTensor &k, StridedTensor &v) {
    return [&k, &v](Call &call) {
      call.forward.attn_type = BKR_ATTN_ENCODER;
      call.forward.causal = 0;
      call.forward.key = k.view();
      call.forward.value = v.view();
    };
  };
  expect_forward_refuses({
      {{"key is NULL"}, [](Call &c) { c.forward.attn_type = BKR_ATTN_ENCODER, c.forward.causal = 0; }},
      {{"key's dimension 0", "query's dimension 0"}, encoder(short_key, key)},
      {{"value's dimension 0", "query's dimension 0"}, encoder(key, short_key)},
      {{"key's elements are float16", "query's are float32"}, encoder(half_key, key)},
      {{"value's elements are float16", "query's are float32"}, encoder(key, half_key)},
      {{"query's dimension 1", "key's dimension 1", "divide"}, encoder(three_heads, key)},
      {{"value's dimension 1", "key's dimension 1"}, encoder(key, three_heads)},
      {{"key's dimension 2", "query's dimension 2"}, encoder(narrow, key)},
      {{"out's dimension 2", "6"}, encoder(key, narrow)},
  });
}

TEST_P(AttentionArguments, StreamsAreRefusedOnACpu) {
  Call call;
  int stream = 0;
  EXPECT_EQ(attention().forward(backend(), &call.forward, &stream, nullptr), BKR_INVALID_ARGUMENT);
  EXPECT_EQ(attention().write_kv(backend(), &call.write, &stream, nullptr), BKR_INVALID_ARGUMENT);
}

TEST_P(AttentionArguments, AnEmptyBatchIsNoWork) {
  BatchKind kind = Call::kind();
  kind.requests = {};
  AttentionBatch batch(kind);
  const Outcome outcome = forward(batch.forward());
  EXPECT_EQ(outcome.status, BKR_OK) << outcome.text;
}

BKR_WITH_EVERY_CPU_ATTN(AttentionArguments);

}  // namespace
}  // namespace bkr::test
