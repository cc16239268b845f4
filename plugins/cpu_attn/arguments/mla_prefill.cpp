// SPDX-License-Identifier: Apache-2.0
#include "common/refuse.h"
#include "parts.h"
#include "read.h"

namespace cpu {
namespace {

// float32 [heads, tokens], those of `rows`.
PerRow read_lse(const char *name, const DLTensor *given, const Tensor &rows) {
  const Tensor lse(name, given, 2);
  lse.expect_type(kDLFloat, 32);
  static_cast<void>(lse.floating());
  lse.expect_same(0, rows, 1, "heads");
  lse.expect_same(1, rows, 0, "tokens");
  return {lse.data(), lse.byte_stride(0), lse.byte_stride(1)};
}

PerRow read_written_lse(const DLTensor *given, const Tensor &rows) {
  if (given == nullptr) return {};
  const PerRow lse = read_lse("lse", given, rows);
  Tensor("lse", given, 2).expect_disjoint();
  return lse;
}

void check_lengths(const Attention &a) {
  for (int64_t r = 0; a.causal && r < a.requests.count; ++r) {
    if (a.keys(r) == a.requests.tokens(r)) continue;
    refuse("key_start_loc gives request ", r, " ", a.keys(r), " keys, but query_start_loc gives it ",
           a.requests.tokens(r), " query tokens; causal needs as many of both");
  }
}

// A part of a merge, or its result: float, like out_a but for the name.
HeadRows read_part(const char *name, const DLTensor *given, const Tensor &out_a) {
  const Tensor part(name, given, 3);
  static_cast<void>(part.floating_as(out_a));
  part.expect_same(0, out_a, 0, "tokens");
  part.expect_same(1, out_a, 1, "heads");
  part.expect_same(2, out_a, 2, "head size");
  return head_rows(part);
}

}  // namespace

Attention read_prefill(const bkr_mla_prefill_params &params) {
  Attention a;
  check_zero("flags", params.flags);
  check_zero("reserved0", params.reserved0);
  a.causal = read_flag("causal", params.causal);
  a.scale = read_scale(params.scale);
  const Tensor query = read_query(params.query, params.query_start_loc, a);
  const Tensor key("key", params.key, 3);
  const Tensor value("value", params.value, 3);
  static_cast<void>(key.floating_as(query));
  static_cast<void>(value.floating_as(query));
  key.expect_same(1, query, 1, "heads");
  key.expect_same(2, query, 2, "head size");
  value.expect_same(0, key, 0, "tokens");
  value.expect_same(1, query, 1, "heads");
  value.expect_at_least(2, 1, "head size");
  const Requests keys = read_requests("key_start_loc", params.key_start_loc, key);
  if (keys.count != a.requests.count) {
    refuse("key_start_loc's dimension 0 is ", keys.count + 1, ", but query_start_loc's dimension 0 is ",
           a.requests.count + 1);
  }
  a.key_starts = keys.starts;
  a.kv_heads = a.heads;
  a.value_head_size = value.size(2);
  a.key = rows_of_call(key);
  a.value = rows_of_call(value);
  read_out(params.out, query, a);
  a.lse = read_written_lse(params.lse, query);
  check_lengths(a);
  return a;
}

Merge read_merge(const bkr_mla_merge_params &params) {
  check_zero("flags", params.flags);
  const Tensor out_a("out_a", params.out_a, 3);
  Merge merge;
  merge.a = {read_part("out_a", params.out_a, out_a), read_lse("lse_a", params.lse_a, out_a)};
  merge.b = {read_part("out_b", params.out_b, out_a), read_lse("lse_b", params.lse_b, out_a)};
  merge.to = {read_part("out", params.out, out_a), read_written_lse(params.lse, out_a)};
  Tensor("out", params.out, 3).expect_disjoint();
  merge.tokens = out_a.size(0);
  merge.heads = out_a.size(1);
  merge.head_size = out_a.size(2);
  return merge;
}

}  // namespace cpu
