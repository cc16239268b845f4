// SPDX-License-Identifier: Apache-2.0
#include "parts.h"

#include <cmath>

#include "common/refuse.h"

namespace cpu {

HeadRows head_rows(const Tensor &tensor) {
  return {tensor.data(), tensor.byte_stride(0), tensor.byte_stride(1), tensor.floating()};
}

KeyValues rows_of_call(const Tensor &tensor) {
  return {tensor.data(), tensor.byte_stride(0), tensor.byte_stride(1), 0, 0, tensor.floating()};
}

float read_scale(double scale) {
  const auto rounded = static_cast<float>(scale);
  if (!std::isfinite(rounded)) refuse("scale is ", scale, "; it must be a finite float32");
  return rounded;
}

bool read_flag(const char *field, int32_t value) {
  if (value != 0 && value != 1) refuse(field, " is ", value, "; it must be 0 or 1");
  return value == 1;
}

void read_options(const bkr_attention_forward_params &params, Attention &a) {
  check_zero("flags", params.flags);
  if (params.attn_type < BKR_ATTN_DECODER || params.attn_type > BKR_ATTN_ENCODER_DECODER) {
    refuse("attn_type is ", params.attn_type, ", which is none");
  }
  a.causal = read_flag("causal", params.causal);
  if (a.causal && params.attn_type != BKR_ATTN_DECODER) {
    refuse("causal is 1, but attn_type is ", params.attn_type, "; only decoders (", BKR_ATTN_DECODER, ") are causal");
  }
  if (params.window_left < -1) refuse("window_left is ", params.window_left, "; it must be -1 (off) or more");
  if (params.window_right < -1) refuse("window_right is ", params.window_right, "; it must be -1 (off) or more");
  a.scale = read_scale(params.scale);
  a.softcap = static_cast<float>(params.softcap);
  if (!std::isfinite(a.softcap) || a.softcap < 0.0f) refuse("softcap is ", params.softcap, "; it must be 0 or more");
  a.window_left = params.window_left;
  a.window_right = params.window_right;
  check_cache_type(params.kv_cache_dtype, params.key_scale, params.value_scale);
}

Tensor read_query(const DLTensor *given, const DLTensor *starts, Attention &a) {
  const Tensor query("query", given, 3);
  query.expect_at_least(1, 1, "heads");
  query.expect_at_least(2, 1, "head size");
  a.query = head_rows(query);
  a.requests = read_requests("query_start_loc", starts, query);
  a.heads = query.size(1);
  a.head_size = query.size(2);
  return query;
}

void read_out(const DLTensor *given, const Tensor &query, Attention &a) {
  const Tensor out("out", given, 3);
  static_cast<void>(out.floating_as(query));
  out.expect_same(0, query, 0, "tokens");
  out.expect_same(1, query, 1, "heads");
  out.expect_size(2, a.value_head_size, "head size of the values");
  out.expect_disjoint();
  a.out = head_rows(out);
}

void expect_grouped(const Tensor &query, const Tensor &keys, int dimension) {
  if (query.size(1) % keys.size(dimension) == 0) return;
  refuse("query's dimension 1 (heads) is ", query.size(1), ", which ", keys.name(), "'s dimension ", dimension, " (",
         keys.size(dimension), " heads) does not divide");
}

int64_t value_head_size(const bkr_attention_forward_params &params, int64_t otherwise) {
  if (params.value_head_size < 0) refuse("value_head_size is ", params.value_head_size);
  return params.value_head_size > 0 ? params.value_head_size : otherwise;
}

CacheTables read_tables(const bkr_attention_forward_params &params, int64_t blocks, int blocks_dimension,
                        Attention &a) {
  const Tensor seq_lens("seq_lens", params.seq_lens, 1);
  const Tensor block_table("block_table", params.block_table, 2);
  seq_lens.expect_type(kDLInt, 32);
  block_table.expect_type(kDLInt, 32);
  seq_lens.expect_size(0, a.requests.count, "requests, one less than query_start_loc's dimension 0");
  block_table.expect_size(0, a.requests.count, "requests, one less than query_start_loc's dimension 0");
  a.seq_lens = read_vector(seq_lens);
  a.block_table = {block_table.data(), block_table.byte_stride(0), block_table.byte_stride(1)};
  return {block_table.size(1), blocks, blocks_dimension};
}

void check_requests(const CacheTables &tables, const Attention &a) {
  const int64_t block_size = a.key.block_size;
  for (int64_t r = 0; r < a.requests.count; ++r) {
    const int64_t queries = a.requests.tokens(r);
    const int64_t length = a.seq_lens(r);
    if (length < 0) refuse("seq_lens[", r, "] is ", length);
    if (a.causal && length < queries) {
      refuse("seq_lens[", r, "] is ", length, ", but query_start_loc gives the request ", queries,
             " query tokens, which stand at the end of its sequence");
    }
    if (length > 0 && (length - 1) / block_size >= tables.columns) {
      refuse("seq_lens[", r, "] is ", length, ", but block_table has ", tables.columns,
             " blocks a request (dimension 1) of ", block_size, " tokens");
    }
    if (queries == 0) continue;
    const int64_t begin = visible_keys(a, length - queries, length).begin;
    const int64_t end = visible_keys(a, length - 1, length).end;
    for (int64_t i = begin / block_size; i * block_size < end; ++i) {
      const int64_t block = a.block_table(r, i);
      if (block < 0 || block >= tables.blocks) {
        refuse("block_table[", r, ",", i, "] is ", block, ", but kv_cache has ", tables.blocks, " blocks (dimension ",
               tables.blocks_dimension, ")");
      }
    }
  }
}

void read_slots(const DLTensor *slot_mapping, const Tensor &key, const Tensor &cache, int blocks_dimension,
                int tokens_dimension, CacheWrite &write) {
  const Tensor slots("slot_mapping", slot_mapping, 1);
  slots.expect_type(kDLInt, 64);
  slots.expect_same(0, key, 0, "tokens");
  write.slots = slots.data();
  write.slot_stride = slots.byte_stride(0);
  write.tokens = key.size(0);
  const int64_t blocks = cache.size(blocks_dimension);
  const int64_t block_size = cache.size(tokens_dimension);
  for (int64_t token = 0; token < write.tokens; ++token) {
    const int64_t slot = write.slot(token);
    if (slot >= 0 && slot / block_size >= blocks) {
      refuse("slot_mapping[", token, "] is ", slot, ", but kv_cache has ", blocks, " blocks (dimension ",
             blocks_dimension, ") of ", block_size, " tokens (dimension ", tokens_dimension, ")");
    }
  }
}

void check_cache_type(int32_t kv_cache_dtype, double key_scale, double value_scale) {
  if (kv_cache_dtype == BKR_KV_CACHE_FP8_E4M3 || kv_cache_dtype == BKR_KV_CACHE_FP8_E5M2) {
    throw bkr::error(BKR_UNSUPPORTED,
                     "kv_cache_dtype asks for 8-bit floats; this backend keeps float32, float16 and bfloat16");
  }
  if (kv_cache_dtype != BKR_KV_CACHE_AUTO) refuse("kv_cache_dtype is ", kv_cache_dtype, ", which is none");
  if (key_scale != 0.0) refuse("key_scale is ", key_scale, "; it must be 0 without an 8-bit cache");
  if (value_scale != 0.0) refuse("value_scale is ", value_scale, "; it must be 0 without an 8-bit cache");
}

}  // namespace cpu
