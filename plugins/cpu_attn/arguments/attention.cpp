// SPDX-License-Identifier: Apache-2.0
#include "common/refuse.h"
#include "parts.h"
#include "read.h"

namespace cpu {
namespace {

// [2, blocks, heads, tokens of a block, size].
Tensor read_cache(const DLTensor *kv_cache) {
  const Tensor cache("kv_cache", kv_cache, 5);
  cache.expect_size(0, 2, "keys and values");
  cache.expect_at_least(2, 1, "heads");
  cache.expect_at_least(3, 1, "block size");
  cache.expect_at_least(4, 1, "head size");
  static_cast<void>(cache.floating());
  return cache;
}

// Its keys (half 0) or values (half 1).
KeyValues half_of_cache(const Tensor &cache, int half) {
  KeyValues rows;
  rows.data = cache.data() + half * cache.byte_stride(0);
  rows.block_stride = cache.byte_stride(1);
  rows.head_stride = cache.byte_stride(2);
  rows.token_stride = cache.byte_stride(3);
  rows.block_size = cache.size(3);
  rows.element = cache.floating();
  return rows;
}

bool has_cache(const bkr_attention_forward_params &params) {
  return params.attn_type == BKR_ATTN_DECODER || params.attn_type == BKR_ATTN_ENCODER_DECODER;
}

PerHead read_per_head(const char *name, const DLTensor *given, const Tensor &query, bool any_type) {
  if (given == nullptr) return {};
  const Tensor tensor(name, given, 1);
  if (!any_type) tensor.expect_type(kDLFloat, 32);
  tensor.expect_same(0, query, 1, "heads");
  return {tensor.data(), tensor.byte_stride(0), tensor.floating()};
}

CacheTables read_rows_in_cache(const bkr_attention_forward_params &params, const Tensor &query, Attention &a) {
  const Tensor cache = read_cache(params.kv_cache);
  query.expect_same(2, cache, 4, "head size");
  expect_grouped(query, cache, 2);
  a.kv_heads = cache.size(2);
  a.value_head_size = value_head_size(params, a.head_size);
  if (a.value_head_size > a.head_size) {
    refuse("value_head_size is ", a.value_head_size, ", but kv_cache's dimension 4 (head size) is ", cache.size(4));
  }
  a.key = half_of_cache(cache, 0);
  a.value = half_of_cache(cache, 1);
  return read_tables(params, cache.size(1), 1, a);
}

void read_rows_of_call(const bkr_attention_forward_params &params, const Tensor &query, Attention &a) {
  const Tensor key("key", params.key, 3);
  const Tensor value("value", params.value, 3);
  static_cast<void>(key.floating_as(query));
  static_cast<void>(value.floating_as(query));
  key.expect_same(0, query, 0, "tokens");
  key.expect_at_least(1, 1, "heads");
  key.expect_same(2, query, 2, "head size");
  expect_grouped(query, key, 1);
  value.expect_same(0, query, 0, "tokens");
  value.expect_same(1, key, 1, "heads");
  value.expect_at_least(2, 1, "head size");
  a.kv_heads = key.size(1);
  a.value_head_size = value.size(2);
  const int64_t asked = value_head_size(params, a.value_head_size);
  if (asked != a.value_head_size) value.expect_size(2, asked, "head size, as value_head_size");
  a.key = rows_of_call(key);
  a.value = rows_of_call(value);
  a.key_starts = a.requests.starts;
}

}  // namespace

Attention read_attention(const bkr_attention_forward_params &params) {
  Attention a;
  CacheTables tables{};
  read_options(params, a);
  const Tensor query = read_query(params.query, params.query_start_loc, a);
  if (has_cache(params)) {
    tables = read_rows_in_cache(params, query, a);
  } else {
    read_rows_of_call(params, query, a);
  }
  read_out(params.out, query, a);
  a.alibi_slopes = read_per_head("alibi_slopes", params.alibi_slopes, query, false);
  a.sinks = read_per_head("sinks", params.sinks, query, true);
  if (has_cache(params)) check_requests(tables, a);
  return a;
}

CacheWrite read_attention(const bkr_attention_write_kv_params &params) {
  check_zero("flags", params.flags);
  check_zero("reserved0", params.reserved0);
  check_cache_type(params.kv_cache_dtype, params.key_scale, params.value_scale);
  const Tensor key("key", params.key, 3);
  const Tensor value("value", params.value, 3);
  const Tensor cache = read_cache(params.kv_cache);
  static_cast<void>(value.floating_as(key));
  key.expect_same(1, cache, 2, "heads");
  key.expect_same(2, cache, 4, "head size");
  value.expect_same(0, key, 0, "tokens");
  value.expect_same(1, cache, 2, "heads");
  value.expect_at_least(2, 1, "head size");
  if (value.size(2) > cache.size(4)) {
    refuse("value's dimension 2 (head size) is ", value.size(2), ", but kv_cache's dimension 4 is ", cache.size(4));
  }
  cache.expect_disjoint();

  CacheWrite write;
  write.key = head_rows(key);
  write.value = head_rows(value);
  write.key_cache = half_of_cache(cache, 0);
  write.value_cache = half_of_cache(cache, 1);
  write.kv_heads = key.size(1);
  write.head_size = key.size(2);
  write.value_head_size = value.size(2);
  read_slots(params.slot_mapping, key, cache, 1, 3, write);
  return write;
}

}  // namespace cpu
