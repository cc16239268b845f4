// SPDX-License-Identifier: Apache-2.0
#include "common/refuse.h"
#include "parts.h"
#include "read.h"

namespace cpu {

Attention read_none(const bkr_attention_forward_params &params) {
  Attention a;
  read_options(params, a);
  const Tensor query = read_query(params.query, params.query_start_loc, a);
  static_cast<void>(query.floating());
  a.value_head_size = value_head_size(params, a.head_size);
  read_out(params.out, query, a);
  return a;
}

void check_none(const bkr_attention_write_kv_params &params) {
  check_zero("flags", params.flags);
  check_zero("reserved0", params.reserved0);
  check_cache_type(params.kv_cache_dtype, params.key_scale, params.value_scale);
  const Tensor key("key", params.key, 3);
  const Tensor value("value", params.value, 3);
  const Tensor slots("slot_mapping", params.slot_mapping, 1);
  static_cast<void>(value.floating_as(key));
  value.expect_same(0, key, 0, "tokens");
  value.expect_same(1, key, 1, "heads");
  slots.expect_type(kDLInt, 64);
  slots.expect_same(0, key, 0, "tokens");
}

}  // namespace cpu
