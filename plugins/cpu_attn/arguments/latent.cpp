// SPDX-License-Identifier: Apache-2.0
#include "common/refuse.h"
#include "parts.h"
#include "read.h"

namespace cpu {
namespace {

void refuse_others_work(const bkr_attention_forward_params &params) {
  const auto unsupported = [](bool asked, const char *what) {
    if (asked) throw bkr::error(BKR_UNSUPPORTED, what + std::string("; attention on latent rows has none"));
  };
  if (params.attn_type != BKR_ATTN_DECODER) {
    throw bkr::error(BKR_UNSUPPORTED, "attn_type is " + std::to_string(params.attn_type) + "; only decoders (" +
                                          std::to_string(BKR_ATTN_DECODER) + ") attend to latent rows");
  }
  unsupported(params.window_left >= 0, "window_left asks for a window");
  unsupported(params.window_right >= 0, "window_right asks for a window");
  unsupported(params.softcap > 0, "softcap asks for a soft cap");
  unsupported(params.alibi_slopes != nullptr, "alibi_slopes asks for ALiBi");
  unsupported(params.sinks != nullptr, "sinks asks for attention sinks");
}

// [blocks, tokens of a block, size].
Tensor read_cache(const DLTensor *kv_cache) {
  const Tensor cache("kv_cache", kv_cache, 3);
  cache.expect_at_least(1, 1, "block size");
  cache.expect_at_least(2, 1, "latent row");
  static_cast<void>(cache.floating());
  return cache;
}

// The rows from column `column` on, as those of one key head.
KeyValues columns_of(const Tensor &cache, int64_t column) {
  KeyValues rows;
  rows.element = cache.floating();
  rows.data = cache.data() + column * size_of(rows.element);
  rows.block_stride = cache.byte_stride(0);
  rows.token_stride = cache.byte_stride(1);
  rows.block_size = cache.size(1);
  return rows;
}

}  // namespace

Attention read_latent(const bkr_attention_forward_params &params) {
  Attention a;
  read_options(params, a);
  refuse_others_work(params);
  const Tensor query = read_query(params.query, params.query_start_loc, a);
  const Tensor cache = read_cache(params.kv_cache);
  query.expect_same(2, cache, 2, "head size");
  a.kv_heads = 1;
  a.value_head_size = value_head_size(params, 0);
  if (a.value_head_size == 0) refuse("value_head_size is 0; a latent cache needs it");
  if (a.value_head_size > a.head_size) {
    refuse("value_head_size is ", a.value_head_size, ", but kv_cache's dimension 2 (latent row) is ", cache.size(2));
  }
  a.key = columns_of(cache, 0);
  a.value = a.key;
  a.values_in_keys = true;
  const CacheTables tables = read_tables(params, cache.size(0), 0, a);
  read_out(params.out, query, a);
  check_requests(tables, a);
  return a;
}

CacheWrite read_latent(const bkr_attention_write_kv_params &params) {
  check_zero("flags", params.flags);
  check_zero("reserved0", params.reserved0);
  check_cache_type(params.kv_cache_dtype, params.key_scale, params.value_scale);
  const Tensor key("key", params.key, 3);
  const Tensor value("value", params.value, 3);
  const Tensor cache = read_cache(params.kv_cache);
  static_cast<void>(value.floating_as(key));
  key.expect_size(1, 1, "heads");
  key.expect_at_least(2, 1, "head size");
  value.expect_same(0, key, 0, "tokens");
  value.expect_size(1, 1, "heads");
  value.expect_at_least(2, 1, "head size");
  if (key.size(2) + value.size(2) != cache.size(2)) {
    refuse("key's dimension 2 (head size) is ", key.size(2), " and value's is ", value.size(2),
           ", but kv_cache's dimension 2, which holds both, is ", cache.size(2));
  }
  cache.expect_disjoint();

  CacheWrite write;
  write.key = head_rows(key);
  write.value = head_rows(value);
  write.key_cache = columns_of(cache, 0);
  write.value_cache = columns_of(cache, key.size(2));
  write.kv_heads = 1;
  write.head_size = key.size(2);
  write.value_head_size = value.size(2);
  read_slots(params.slot_mapping, key, cache, 0, 1, write);
  return write;
}

}  // namespace cpu
