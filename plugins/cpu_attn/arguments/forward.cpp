// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "common/refuse.h"
#include "read.h"

namespace cpu {
namespace {

bool has_cache(const bkr_attention_forward_params &params) {
  return params.attn_type == BKR_ATTN_DECODER || params.attn_type == BKR_ATTN_ENCODER_DECODER;
}

void read_options(const bkr_attention_forward_params &params, Attention &a) {
  check_zero("flags", params.flags);
  if (params.attn_type < BKR_ATTN_DECODER || params.attn_type > BKR_ATTN_ENCODER_DECODER) {
    refuse("attn_type is ", params.attn_type, ", which is none");
  }
  if (params.causal != 0 && params.causal != 1) refuse("causal is ", params.causal, "; it must be 0 or 1");
  if (params.causal == 1 && params.attn_type != BKR_ATTN_DECODER) {
    refuse("causal is 1, but attn_type is ", params.attn_type, "; only decoders (", BKR_ATTN_DECODER, ") are causal");
  }
  if (params.window_left < -1) refuse("window_left is ", params.window_left, "; it must be -1 (off) or more");
  if (params.window_right < -1) refuse("window_right is ", params.window_right, "; it must be -1 (off) or more");
  a.scale = static_cast<float>(params.scale);
  a.softcap = static_cast<float>(params.softcap);
  if (!std::isfinite(a.scale)) refuse("scale is ", params.scale, "; it must be a finite float32");
  if (!std::isfinite(a.softcap) || a.softcap < 0.0f) refuse("softcap is ", params.softcap, "; it must be 0 or more");
  a.causal = params.causal == 1;
  a.window_left = params.window_left;
  a.window_right = params.window_right;
  check_cache_type(params.kv_cache_dtype, params.key_scale, params.value_scale);
}

PerHead read_per_head(const char *name, const DLTensor *given, const Tensor &query, bool any_type) {
  if (given == nullptr) return {};
  const Tensor tensor(name, given, 1);
  if (!any_type) tensor.expect_type(kDLFloat, 32);
  tensor.expect_same(0, query, 1, "heads");
  return {tensor.data(), tensor.byte_stride(0), tensor.floating()};
}

// The size of value rows that was asked for, or that of the keys.
int64_t value_head_size(const bkr_attention_forward_params &params, int64_t otherwise) {
  if (params.value_head_size < 0) refuse("value_head_size is ", params.value_head_size);
  return params.value_head_size > 0 ? params.value_head_size : otherwise;
}

void expect_grouped(const Tensor &query, const Tensor &keys, int dimension) {
  if (query.size(1) % keys.size(dimension) == 0) return;
  refuse("query's dimension 1 (heads) is ", query.size(1), ", which ", keys.name(), "'s dimension ", dimension, " (",
         keys.size(dimension), " heads) does not divide");
}

void read_rows_in_cache(const bkr_attention_forward_params &params, const Tensor &query, Attention &a) {
  const Tensor cache = read_cache(params.kv_cache);
  query.expect_same(2, cache, 4, "head size");
  expect_grouped(query, cache, 2);
  a.kv_heads = cache.size(2);
  a.value_head_size = value_head_size(params, a.head_size);
  if (a.value_head_size > a.head_size) {
    refuse("value_head_size is ", a.value_head_size, ", but kv_cache's dimension 4 (head size) is ", cache.size(4));
  }
  const Tensor seq_lens("seq_lens", params.seq_lens, 1);
  const Tensor block_table("block_table", params.block_table, 2);
  seq_lens.expect_type(kDLInt, 32);
  block_table.expect_type(kDLInt, 32);
  seq_lens.expect_size(0, a.requests.count, "requests, one less than query_start_loc's dimension 0");
  block_table.expect_size(0, a.requests.count, "requests, one less than query_start_loc's dimension 0");
  a.key = half_of_cache(cache, 0);
  a.value = half_of_cache(cache, 1);
  a.seq_lens = read_vector(seq_lens);
  a.block_table = {block_table.data(), block_table.byte_stride(0), block_table.byte_stride(1)};
}

void read_rows_of_call(const bkr_attention_forward_params &params, const Tensor &query, Attention &a) {
  const auto rows = [](const Tensor &tensor) {
    return KeyValues{tensor.data(), tensor.byte_stride(0), tensor.byte_stride(1), 0, 0, tensor.floating()};
  };
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
  a.key = rows(key);
  a.value = rows(value);
}

// The lengths, and the entries of the block table behind which a key is seen.
void check_requests(const bkr_attention_forward_params &params, const Attention &a) {
  const int64_t columns = params.block_table->shape[1];
  const int64_t blocks = params.kv_cache->shape[1];
  const int64_t block_size = a.key.block_size;
  for (int64_t r = 0; r < a.requests.count; ++r) {
    const int64_t queries = a.requests.tokens(r);
    const int64_t length = a.seq_lens(r);
    if (length < 0) refuse("seq_lens[", r, "] is ", length);
    if (a.causal && length < queries) {
      refuse("seq_lens[", r, "] is ", length, ", but query_start_loc gives the request ", queries,
             " query tokens, which stand at the end of its sequence");
    }
    if (length > 0 && (length - 1) / block_size >= columns) {
      refuse("seq_lens[", r, "] is ", length, ", but block_table has ", columns, " blocks a request (dimension 1) of ",
             block_size, " tokens");
    }
    if (queries == 0) continue;
    const int64_t begin = visible_keys(a, length - queries, length).begin;
    const int64_t end = visible_keys(a, length - 1, length).end;
    for (int64_t i = begin / block_size; i * block_size < end; ++i) {
      const int64_t block = a.block_table(r, i);
      if (block < 0 || block >= blocks) {
        refuse("block_table[", r, ",", i, "] is ", block, ", but kv_cache has ", blocks, " blocks (dimension 1)");
      }
    }
  }
}

}  // namespace

Attention read(const bkr_attention_forward_params &params) {
  Attention a;
  read_options(params, a);
  const Tensor query("query", params.query, 3);
  const Tensor out("out", params.out, 3);
  query.expect_at_least(1, 1, "heads");
  query.expect_at_least(2, 1, "head size");
  a.query = head_rows(query);
  a.requests = read_requests("query_start_loc", params.query_start_loc, query);
  a.heads = query.size(1);
  a.head_size = query.size(2);
  if (has_cache(params)) {
    read_rows_in_cache(params, query, a);
  } else {
    read_rows_of_call(params, query, a);
  }
  static_cast<void>(out.floating_as(query));
  out.expect_same(0, query, 0, "tokens");
  out.expect_same(1, query, 1, "heads");
  out.expect_size(2, a.value_head_size, "head size of the values");
  out.expect_disjoint();
  a.out = head_rows(out);
  a.alibi_slopes = read_per_head("alibi_slopes", params.alibi_slopes, query, false);
  a.sinks = read_per_head("sinks", params.sinks, query, true);
  if (has_cache(params)) check_requests(params, a);
  return a;
}

}  // namespace cpu
