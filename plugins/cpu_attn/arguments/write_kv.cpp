// SPDX-License-Identifier: Apache-2.0
#include "common/refuse.h"
#include "read.h"

namespace cpu {

CacheWrite read(const bkr_attention_write_kv_params &params) {
  check_zero("flags", params.flags);
  check_zero("reserved0", params.reserved0);
  check_cache_type(params.kv_cache_dtype, params.key_scale, params.value_scale);
  const Tensor key("key", params.key, 3);
  const Tensor value("value", params.value, 3);
  const Tensor cache = read_cache(params.kv_cache);
  const Tensor slots("slot_mapping", params.slot_mapping, 1);
  static_cast<void>(value.floating_as(key));
  slots.expect_type(kDLInt, 64);
  key.expect_same(1, cache, 2, "heads");
  key.expect_same(2, cache, 4, "head size");
  value.expect_same(0, key, 0, "tokens");
  value.expect_same(1, cache, 2, "heads");
  value.expect_at_least(2, 1, "head size");
  if (value.size(2) > cache.size(4)) {
    refuse("value's dimension 2 (head size) is ", value.size(2), ", but kv_cache's dimension 4 is ", cache.size(4));
  }
  slots.expect_same(0, key, 0, "tokens");
  cache.expect_disjoint();

  CacheWrite write;
  write.key = head_rows(key);
  write.value = head_rows(value);
  write.key_cache = half_of_cache(cache, 0);
  write.value_cache = half_of_cache(cache, 1);
  write.slots = slots.data();
  write.slot_stride = slots.byte_stride(0);
  write.tokens = key.size(0);
  write.kv_heads = key.size(1);
  write.head_size = key.size(2);
  write.value_head_size = value.size(2);
  for (int64_t token = 0; token < write.tokens; ++token) {
    const int64_t slot = write.slot(token);
    if (slot >= 0 && slot / cache.size(3) >= cache.size(1)) {
      refuse("slot_mapping[", token, "] is ", slot, ", but kv_cache has ", cache.size(1), " blocks (dimension 1) of ",
             cache.size(3), " tokens (dimension 3)");
    }
  }
  return write;
}

}  // namespace cpu
