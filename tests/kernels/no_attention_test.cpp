// SPDX-License-Identifier: Apache-2.0
// NO_ATTENTION: zeros out, nothing kept, arguments checked all the same.
#include "attention_batch.h"
#include "plugin_under_test.h"

namespace bkr::test {
namespace {

using Reasons = std::vector<std::string>;

class None : public NoAttention {
 protected:
  static BatchKind kind() {
    BatchKind kind;
    kind.requests = {{3, 3}, {1, 5}};
    kind.value_head_size = 3;
    kind.scattered = true;
    return kind;
  }

  void expect_refused(const Outcome &outcome, const char *word) {
    EXPECT_EQ(outcome.status, BKR_INVALID_ARGUMENT);
    EXPECT_NE(outcome.text.find(word), std::string::npos) << outcome.text;
  }
};

TEST_P(None, OutIsZeroAndNothingElseIsWritten) {
  for (const char *dtype : {"float32", "float16", "bfloat16"}) {
    BatchKind kind = this->kind();
    kind.dtype = dtype;
    AttentionBatch batch(kind);
    StridedTensor expected = batch.out;
    expected.fill([] { return 0.0; });
    const std::vector<std::byte> cache = batch.kv_cache.memory();
    ASSERT_EQ(write_kv(batch.write_kv()).status, BKR_OK);
    const Outcome outcome = forward(batch.forward());
    ASSERT_EQ(outcome.status, BKR_OK) << outcome.text;
    EXPECT_EQ(batch.out.memory(), expected.memory()) << "gaps between rows stay as they were";
    EXPECT_EQ(batch.kv_cache.memory(), cache);
  }
}

TEST_P(None, NeedsNoCache) {
  AttentionBatch batch(kind());
  bkr_attention_forward_params params = batch.forward();
  params.kv_cache = params.seq_lens = params.block_table = nullptr;
  EXPECT_EQ(forward(params).status, BKR_OK);
  EXPECT_EQ(batch.out.at({3, 1, 2}), 0.0);
  bkr_attention_write_kv_params write = batch.write_kv();
  write.kv_cache = nullptr;
  EXPECT_EQ(write_kv(write).status, BKR_OK);

  int64_t shape[BKR_KV_CACHE_MAX_DIMS] = {7, 7};
  int32_t ndim = 0;
  bkr_attention_kv_cache_params cache{sizeof cache, 0, 10, 16, 2, 64, 0, shape, &ndim};
  ASSERT_EQ(attention().kv_cache_shape(backend(), &cache, nullptr, nullptr), BKR_OK);
  EXPECT_EQ(Shape(shape, shape + ndim), Shape{0});
}

TEST_P(None, ArgumentsAreChecked) {
  AttentionBatch batch(kind());
  const std::vector<std::byte> before = batch.out.memory();
  StridedTensor other("float32", {4, 1, 3});
  StridedTensor half("float16", {4, 2, 3});
  bkr_attention_forward_params params = batch.forward();
  params.query = nullptr;
  expect_refused(forward(params), "query is NULL");
  params = batch.forward();
  params.out = other.view();
  expect_refused(forward(params), "out's dimension 1");
  params.out = half.view();
  expect_refused(forward(params), "out's elements are float16");
  params = batch.forward();
  params.value_head_size = 2;
  expect_refused(forward(params), "out's dimension 2");
  params = batch.forward();
  params.flags = 1;
  expect_refused(forward(params), "flags is 1");
  params = batch.forward();
  batch.query_start_loc.set({2}, 3);
  expect_refused(forward(params), "query_start_loc[2] is 3");
  EXPECT_EQ(batch.out.memory(), before);

  bkr_attention_write_kv_params write = batch.write_kv();
  write.value = other.view();
  expect_refused(write_kv(write), "value's dimension 0");
  write = batch.write_kv();
  write.slot_mapping = batch.seq_lens.view();
  expect_refused(write_kv(write), "slot_mapping's elements are int32");
}

TEST_P(None, IsValidForThoseAloneWhoAskForNoAttention) {
  const std::string reason = "computes no attention; ask for that with no_attention=1";
  EXPECT_EQ(reasons({}), Reasons{reason});
  EXPECT_EQ(reasons({{"head_size", "72"}, {"use_mla", "1"}}), Reasons{reason});
  EXPECT_EQ(reasons({{"no_attention", "1"}, {"head_size", "72"}, {"use_mla", "1"}, {"use_sparse", "1"}}), Reasons{});
  EXPECT_EQ(reasons({{"no_attention", "1"}, {"dtype", "float64"}, {"use_teleport", "1"}}),
            (Reasons{"dtype not supported", "unknown requirement use_teleport=1"}));
}

TEST_P(None, HasItsOwnName) { EXPECT_STREQ(bkr_backend_name(backend()), "NO_ATTENTION"); }

BKR_WITH_EVERY_CPU_ATTN(None);

}  // namespace
}  // namespace bkr::test
