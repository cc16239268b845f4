// SPDX-License-Identifier: Apache-2.0
// The types that do not read the request's own tokens from the cache.
#include "attention_batch.h"
#include "compare_out.h"
#include "plugin_under_test.h"

namespace bkr::test {
namespace {

class AttentionEncoder : public CpuAttn {
 protected:
  // Self attention of a ragged batch: as many keys as queries in each request.
  static BatchKind kind(const std::string &dtype, bool scattered) {
    BatchKind kind;
    kind.requests = {{7, 0}, {0, 0}, {1, 0}, {45, 0}};
    kind.heads = 6;
    kind.kv_heads = 2;
    kind.head_size = 24;
    kind.dtype = dtype;
    kind.scattered = scattered;
    return kind;
  }

  static StridedTensor rows(int64_t heads, int64_t size, const BatchKind &kind, uint32_t seed) {
    StridedTensor tensor(kind.dtype, {53, heads, size}, {0, 1, 2}, kind.scattered ? 2 : 0);
    std::mt19937 random(seed);
    fill_random(tensor, random, 1.0);
    return tensor;
  }

  static bkr_attention_forward_params params(AttentionBatch &batch, StridedTensor &key, StridedTensor &value,
                                             int32_t type) {
    bkr_attention_forward_params params = batch.forward();
    params.attn_type = type;
    params.causal = 0;
    params.key = key.view();
    params.value = value.view();
    params.kv_cache = nullptr;
    params.seq_lens = nullptr;
    params.block_table = nullptr;
    params.value_head_size = 0;
    return params;
  }
};

TEST_P(AttentionEncoder, SeesAllTokensOfItsRequestAndNoOthers) {
  for (const char *dtype : {"float32", "float16", "bfloat16"}) {
    for (const int32_t type : {BKR_ATTN_ENCODER, BKR_ATTN_ENCODER_ONLY}) {
      const BatchKind kind = this->kind(dtype, type == BKR_ATTN_ENCODER);
      AttentionBatch batch(kind);
      StridedTensor key = rows(2, 24, kind, 7);
      StridedTensor value = rows(2, 24, kind, 8);
      const bkr_attention_forward_params params = this->params(batch, key, value, type);
      const Outcome outcome = forward(params);
      ASSERT_EQ(outcome.status, BKR_OK) << outcome.text;
      expect_out(batch.out, attention_reference(params));
    }
  }
}

TEST_P(AttentionEncoder, WindowReachesBothWays) {
  const BatchKind kind = this->kind("float32", true);
  AttentionBatch batch(kind);
  StridedTensor key = rows(2, 24, kind, 7);
  StridedTensor value = rows(2, 24, kind, 8);
  bkr_attention_forward_params params = this->params(batch, key, value, BKR_ATTN_ENCODER_ONLY);
  params.window_left = 3;
  params.window_right = 3;
  params.alibi_slopes = batch.alibi_slopes.view();
  ASSERT_EQ(forward(params).status, BKR_OK);
  expect_out(batch.out, attention_reference(params));
}

TEST_P(AttentionEncoder, ValuesMayBeLongerThanKeys) {
  BatchKind kind = this->kind("float32", false);
  kind.value_head_size = 40;
  AttentionBatch batch(kind);
  StridedTensor key = rows(2, 24, kind, 7);
  StridedTensor value = rows(2, 40, kind, 8);
  const bkr_attention_forward_params params = this->params(batch, key, value, BKR_ATTN_ENCODER);
  const Outcome outcome = forward(params);
  ASSERT_EQ(outcome.status, BKR_OK) << outcome.text;
  expect_out(batch.out, attention_reference(params));
}

TEST_P(AttentionEncoder, SoftCapIsIgnoredWithOneWarning) {
  const BatchKind kind = this->kind("float32", false);
  AttentionBatch batch(kind);
  StridedTensor key = rows(2, 24, kind, 7);
  StridedTensor value = rows(2, 24, kind, 8);
  bkr_attention_forward_params params = this->params(batch, key, value, BKR_ATTN_ENCODER);
  params.softcap = 0.5;
  ASSERT_EQ(forward(params).status, BKR_OK);
  ASSERT_EQ(forward(params).status, BKR_OK);
  expect_out(batch.out, attention_reference(params));
  ASSERT_EQ(warnings().size(), 1u);
  EXPECT_NE(warnings()[0].find("softcap"), std::string::npos) << warnings()[0];
}

TEST_P(AttentionEncoder, CrossAttentionSeesTheEncodersTokensInTheCache) {
  BatchKind kind = this->kind("float32", true);
  kind.requests = {{7, 40}, {30, 5}, {1, 12}, {3, 0}};  // also more queries than keys, and no keys at all
  AttentionBatch batch(kind);
  ASSERT_EQ(write_kv(batch.write_kv()).status, BKR_OK);
  bkr_attention_forward_params params = batch.forward();
  params.attn_type = BKR_ATTN_ENCODER_DECODER;
  params.causal = 0;
  const Outcome outcome = forward(params);
  ASSERT_EQ(outcome.status, BKR_OK) << outcome.text;
  expect_out(batch.out, attention_reference(params));
  for (int64_t token = 38; token < 41; ++token) EXPECT_EQ(batch.out.at({token, 0, 0}), 0.0) << "no key, no value";
}

BKR_WITH_EVERY_CPU_ATTN(AttentionEncoder);

}  // namespace
}  // namespace bkr::test
