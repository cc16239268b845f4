// SPDX-License-Identifier: Apache-2.0
#include "common/refuse.h"
#include "read.h"

namespace cpu {

HeadRows head_rows(const Tensor &tensor) {
  return {tensor.data(), tensor.byte_stride(0), tensor.byte_stride(1), tensor.floating()};
}

Tensor read_cache(const DLTensor *kv_cache) {
  const Tensor cache("kv_cache", kv_cache, 5);
  cache.expect_size(0, 2, "keys and values");
  cache.expect_at_least(2, 1, "heads");
  cache.expect_at_least(3, 1, "block size");
  cache.expect_at_least(4, 1, "head size");
  static_cast<void>(cache.floating());
  return cache;
}

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

void check_zero(const char *field, int64_t value) {
  if (value != 0) refuse(field, " is ", value, "; it must be 0");
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
