// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <random>

#include "attention_batch.h"
#include "plugin_under_test.h"

namespace bkr::test {
namespace {

class WriteKv : public CpuAttn {
 protected:
  static BatchKind kind(const std::string &dtype, const std::string &cache_dtype, bool scattered) {
    BatchKind kind;
    kind.requests = {{0, 11}, {0, 3}};
    kind.kv_heads = 3;
    kind.head_size = 70;
    kind.block_size = 4;
    kind.dtype = dtype;
    kind.cache_dtype = cache_dtype;
    kind.scattered = scattered;
    return kind;
  }

  // Rounded as the cache's type rounds.
  static double as(const std::string &dtype, double number) {
    StridedTensor one(dtype, {1});
    one.set({0}, number);
    return one.at({0});
  }
};

TEST_P(WriteKv, PutsEachTokenInItsSlotAndNothingElsewhere) {
  const std::vector<std::string> types = {"float32", "float16", "bfloat16"};
  for (const std::string &dtype : types) {
    for (const std::string &cache_dtype : types) {
      const BatchKind kind = this->kind(dtype, cache_dtype, dtype == cache_dtype);
      AttentionBatch batch(kind);
      batch.key.fill([n = 0]() mutable { return std::sin(++n); });  // numbers that each type rounds
      StridedTensor expected = batch.kv_cache;
      for (int64_t t = 0; t < batch.key.size(0); ++t) {
        const auto slot = static_cast<int64_t>(batch.slot_mapping.at({t}));
        if (slot < 0) continue;
        for (int64_t h = 0; h < 3; ++h) {
          for (int64_t d = 0; d < 70; ++d) {
            expected.set({0, slot / 4, h, slot % 4, d}, as(cache_dtype, batch.key.at({t, h, d})));
            expected.set({1, slot / 4, h, slot % 4, d}, as(cache_dtype, batch.value.at({t, h, d})));
          }
        }
      }
      const Outcome outcome = write_kv(batch.write_kv());
      ASSERT_EQ(outcome.status, BKR_OK) << outcome.text;
      EXPECT_EQ(batch.kv_cache.memory(), expected.memory()) << dtype << " into " << cache_dtype;
    }
  }
}

TEST_P(WriteKv, EveryPatternOf16BitsIsWidenedExactly) {
  for (const char *dtype : {"float16", "bfloat16"}) {
    StridedTensor key(dtype, {64, 4, 256});
    StridedTensor cache("float32", {2, 4, 4, 16, 256});
    StridedTensor slots("int64", {64});
    slots.fill([n = -1]() mutable { return ++n; });
    auto *words = reinterpret_cast<uint16_t *>(static_cast<std::byte *>(key.view()->data) + key.view()->byte_offset);
    for (uint32_t word = 0; word < 0x10000; ++word) words[word] = static_cast<uint16_t>(word);
    bkr_attention_write_kv_params params{};
    params.struct_size = sizeof params;
    params.key = key.view();
    params.value = key.view();
    params.kv_cache = cache.view();
    params.slot_mapping = slots.view();
    ASSERT_EQ(write_kv(params).status, BKR_OK);
    for (int64_t word = 0; word < 0x10000; ++word) {
      const int64_t token = word / 1024;
      const double wanted = key.at({token, word / 256 % 4, word % 256});
      const double found = cache.at({0, token / 16, word / 256 % 4, token % 16, word % 256});
      ASSERT_TRUE(found == wanted || (std::isnan(found) && std::isnan(wanted)))
          << dtype << " " << word << ": " << found;
    }
  }
}

TEST_P(WriteKv, NumbersAreRoundedToNearestTiesToEven) {
  for (const char *dtype : {"float16", "bfloat16"}) {
    StridedTensor key("float32", {16, 1, 4096});
    StridedTensor cache(dtype, {2, 1, 1, 16, 4096});
    StridedTensor slots("int64", {16});
    slots.fill([n = -1]() mutable { return ++n; });
    std::mt19937 random(3);
    // Patterns near ties: the lower bits all zero, half, or one away from it.
    key.fill([&] {
      const uint32_t low[] = {0, 0x1000, 0xfff, 0x1001, 0x8000, 0x7fff, 0x8001};
      const auto word = static_cast<uint32_t>(random());
      const uint32_t bits = (word & 0xffff0000u) + (word % 4 << 13) + low[word / 4 % 7];
      float number;
      std::memcpy(&number, &bits, sizeof number);
      return static_cast<double>(number);
    });
    bkr_attention_write_kv_params params{};
    params.struct_size = sizeof params;
    params.key = key.view();
    params.value = key.view();
    params.kv_cache = cache.view();
    params.slot_mapping = slots.view();
    ASSERT_EQ(write_kv(params).status, BKR_OK);
    for (int64_t i = 0; i < 16 * 4096; ++i) {
      const double wanted = as(dtype, key.at({i / 4096, 0, i % 4096}));
      const double found = cache.at({0, 0, 0, i / 4096, i % 4096});
      ASSERT_TRUE(found == wanted || (std::isnan(found) && std::isnan(wanted)))
          << dtype << ": " << key.at({i / 4096, 0, i % 4096}) << " gave " << found << ", not " << wanted;
    }
  }
}

TEST_P(WriteKv, NegativeSlotsAreSkipped) {
  AttentionBatch batch(kind("float32", "float32", false));
  batch.slot_mapping.fill([] { return -1; });
  const std::vector<std::byte> before = batch.kv_cache.memory();
  ASSERT_EQ(write_kv(batch.write_kv()).status, BKR_OK);
  EXPECT_EQ(batch.kv_cache.memory(), before);
}

TEST_P(WriteKv, OfEqualSlotsTheLastWins) {
  AttentionBatch batch(kind("float32", "float32", false));
  batch.slot_mapping.fill([] { return 9; });
  ASSERT_EQ(write_kv(batch.write_kv()).status, BKR_OK);
  const int64_t last = batch.key.size(0) - 1;
  EXPECT_EQ(batch.kv_cache.at({0, 2, 1, 1, 5}), batch.key.at({last, 1, 5}));
}

TEST_P(WriteKv, ShorterValuesLeaveTheRestOfTheRow) {
  BatchKind kind = this->kind("float32", "float32", false);
  kind.value_head_size = 30;
  AttentionBatch batch(kind);
  ASSERT_EQ(write_kv(batch.write_kv()).status, BKR_OK);
  const auto slot = static_cast<int64_t>(batch.slot_mapping.at({0})) < 0 ? 1 : 0;
  const auto at = static_cast<int64_t>(batch.slot_mapping.at({slot}));
  ASSERT_GE(at, 0);
  EXPECT_EQ(batch.kv_cache.at({1, at / 4, 0, at % 4, 29}), batch.value.at({slot, 0, 29}));
  EXPECT_TRUE(std::isnan(batch.kv_cache.at({1, at / 4, 0, at % 4, 30})));
}

TEST_P(WriteKv, NoTokensAreNoWork) {
  AttentionBatch batch(kind("float32", "float32", false));
  bkr_attention_write_kv_params params = batch.write_kv();
  StridedTensor none("float32", {0, 3, 70});
  StridedTensor no_slots("int64", {0});
  DLTensor empty = *none.view();
  empty.data = nullptr;  // as frameworks hand over an empty tensor
  empty.byte_offset = 0;
  params.key = &empty;
  params.value = &empty;
  params.slot_mapping = no_slots.view();
  const Outcome outcome = write_kv(params);
  EXPECT_EQ(outcome.status, BKR_OK) << outcome.text;
}

TEST_P(WriteKv, ShapeIsWhatTheBackendSays) {
  int64_t shape[BKR_KV_CACHE_MAX_DIMS] = {};
  int32_t ndim = 0;
  bkr_attention_kv_cache_params params{sizeof params, 0, 10, 16, 2, 64, 0, shape, &ndim};
  ASSERT_EQ(attention().kv_cache_shape(backend(), &params, nullptr, nullptr), BKR_OK);
  EXPECT_EQ(Shape(shape, shape + ndim), (Shape{2, 10, 2, 16, 64}));
}

TEST_P(WriteKv, AShapeThatCannotBeAddressedIsRefused) {
  int64_t shape[BKR_KV_CACHE_MAX_DIMS] = {7};
  int32_t ndim = 7;
  const int64_t large = int64_t{1} << 40;
  bkr_attention_kv_cache_params params{sizeof params, 0, large, 1 << 20, 1, 1 << 10, 0, shape, &ndim};
  EXPECT_EQ(attention().kv_cache_shape(backend(), &params, nullptr, nullptr), BKR_INVALID_ARGUMENT);
  EXPECT_EQ(shape[0], 7);
  EXPECT_EQ(ndim, 7);
}

BKR_WITH_EVERY_CPU_ATTN(WriteKv);

}  // namespace
}  // namespace bkr::test
