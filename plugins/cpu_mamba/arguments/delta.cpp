// SPDX-License-Identifier: Apache-2.0
#include "batch.h"
#include "read.h"

namespace cpu {

Recurrence read(const bkr_mamba_delta_params &params) {
  check_zero("flags", params.flags);
  check_zero("reserved0", params.reserved0);
  check_chunk_size(params.chunk_size);
  const Tensor query("query", params.query, 3);
  const Tensor key("key", params.key, 3);
  const Tensor value("value", params.value, 3);
  const Tensor a("a", params.a, 2);
  const Tensor b("b", params.b, 2);
  const Tensor state("state", params.state, 4);
  const Tensor out("out", params.out, 3);
  query.expect_at_least(2, 1, "key size");
  static_cast<void>(query.floating());
  static_cast<void>(key.floating_as(query));
  static_cast<void>(value.floating_as(query));
  key.expect_same(0, query, 0, "tokens");
  key.expect_same(1, query, 1, "groups");
  key.expect_same(2, query, 2, "key size");
  value.expect_same(0, query, 0, "tokens");
  value.expect_at_least(1, 1, "heads");
  value.expect_at_least(2, 1, "value size");
  check_groups(query, value, "heads");
  for (const Tensor *gate : {&a, &b}) {
    static_cast<void>(gate->floating());
    gate->expect_same(0, query, 0, "tokens");
    gate->expect_same(1, value, 1, "heads");
  }
  const Tensor A_log("A_log", params.A_log, 1);
  A_log.expect_same(0, value, 1, "heads");
  static_cast<void>(state.floating());
  state.expect_same(1, value, 1, "heads");
  state.expect_same(2, value, 2, "value size");
  state.expect_same(3, query, 2, "key size");
  static_cast<void>(out.floating_as(query));
  out.expect_same(0, query, 0, "tokens");
  out.expect_same(1, value, 1, "heads");
  out.expect_same(2, value, 2, "value size");

  Recurrence r;
  r.kind = Recurrence::Kind::delta;
  r.heads = value.size(1);
  r.groups = query.size(1);
  r.key_size = query.size(2);
  r.value_size = value.size(2);
  r.chunk_size = params.chunk_size;
  r.query = rows_of(query);
  r.key = rows_of(key);
  r.value = rows_of(value);
  r.first_gate = rows_of_ones(a);
  r.second_gate = rows_of_ones(b);
  r.decay = {A_log.data(), A_log.byte_stride(0), A_log.floating()};
  r.gate_bias = read_optional_vector("dt_bias", params.dt_bias, value, 1, "heads");
  r.batch = read_batch(params.query_start_loc, params.state_indices, params.has_initial_state, query, state);
  r.state = {state.data(), state.byte_stride(0), state.byte_stride(1), state.byte_stride(2), state.floating()};
  r.out = rows_of(out);
  state.expect_disjoint();
  out.expect_disjoint();
  return r;
}

}  // namespace cpu
