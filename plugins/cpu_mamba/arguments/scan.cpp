// SPDX-License-Identifier: Apache-2.0
#include "batch.h"
#include "common/refuse.h"
#include "read.h"

namespace cpu {
namespace {

// What both forms of the scan have. x and out have `rank` dimensions: tokens, then heads and values or channels.
struct ScanTensors {
  ScanTensors(const bkr_mamba_scan_params &params, int rank, const char *second)
      : x("x", params.x, rank),
        dt("dt", params.dt, 2),
        A("A", params.A, rank == 2 ? 2 : 1),
        B("B", params.B, 3),
        C("C", params.C, 3),
        state("state", params.state, rank + 1),
        out("out", params.out, rank) {
    check_zero("flags", params.flags);
    if (params.dt_softplus != 0 && params.dt_softplus != 1) {
      refuse("dt_softplus is ", params.dt_softplus, "; it must be 0 or 1");
    }
    check_chunk_size(params.chunk_size);
    x.expect_at_least(1, 1, second);
    static_cast<void>(x.floating());
    static_cast<void>(dt.floating());
    dt.expect_same(0, x, 0, "tokens");
    dt.expect_same(1, x, 1, second);
    expect_float32(A);
    static_cast<void>(A.floating());
    A.expect_same(0, x, 1, second);
    static_cast<void>(B.floating_as(x));
    B.expect_same(0, x, 0, "tokens");
    B.expect_at_least(2, 1, "size of the state");
    check_groups(B, x, second);
    static_cast<void>(C.floating_as(x));
    for (int d = 0; d < 3; ++d) C.expect_same(d, B, d, d == 0 ? "tokens" : d == 1 ? "groups" : "size of the state");
    static_cast<void>(state.floating());
    state.expect_same(1, x, 1, second);
    state.expect_same(rank, B, 2, "size of the state");
    expect_like_x(out);
  }

  void expect_like_x(const Tensor &tensor) const {
    static_cast<void>(tensor.floating_as(x));
    tensor.expect_same(0, x, 0, "tokens");
    tensor.expect_same(1, x, 1, x.rank() == 2 ? "channels" : "heads");
    if (x.rank() == 3) tensor.expect_same(2, x, 2, "head size");
  }

  HeadRows read_gate(const DLTensor *z) const {
    if (z == nullptr) return {};
    const Tensor gate("z", z, x.rank());
    expect_like_x(gate);
    return rows_of(gate);
  }

  Batch read_requests_and_slots(const bkr_mamba_scan_params &params) const {
    const Batch batch = read_batch(params.query_start_loc, params.state_indices, params.has_initial_state, x, state);
    state.expect_disjoint();
    out.expect_disjoint();
    return batch;
  }

  Tensor x, dt, A, B, C, state, out;
};

}  // namespace

ChannelScan read_channel_scan(const bkr_mamba_scan_params &params) {
  const ScanTensors t(params, 2, "channels");
  t.A.expect_same(1, t.B, 2, "size of the state");
  ChannelScan scan;
  scan.channels = t.x.size(1);
  scan.groups = t.B.size(1);
  scan.state_size = t.B.size(2);
  scan.dt_softplus = params.dt_softplus == 1;
  scan.x = rows_of(t.x);
  scan.dt = rows_of(t.dt);
  scan.A = rows_of(t.A);
  scan.B = rows_of(t.B);
  scan.C = rows_of(t.C);
  scan.D = read_optional_vector("D", params.D, t.x, 1, "channels");
  scan.dt_bias = read_optional_vector("dt_bias", params.dt_bias, t.x, 1, "channels");
  scan.z = t.read_gate(params.z);
  scan.batch = t.read_requests_and_slots(params);
  scan.state = rows_of(t.state);
  scan.out = rows_of(t.out);
  return scan;
}

Recurrence read_head_scan(const bkr_mamba_scan_params &params) {
  const ScanTensors t(params, 3, "heads");
  t.x.expect_at_least(2, 1, "head size");
  t.state.expect_same(2, t.x, 2, "head size");
  Recurrence r;
  r.kind = Recurrence::Kind::scan;
  r.heads = t.x.size(1);
  r.groups = t.B.size(1);
  r.key_size = t.B.size(2);
  r.value_size = t.x.size(2);
  r.chunk_size = params.chunk_size;
  r.dt_softplus = params.dt_softplus == 1;
  r.query = rows_of(t.C);
  r.key = rows_of(t.B);
  r.value = rows_of(t.x);
  r.first_gate = rows_of_ones(t.dt);
  r.decay = {t.A.data(), t.A.byte_stride(0), Element::float32};
  r.skip = read_optional_vector("D", params.D, t.x, 1, "heads");
  r.gate_bias = read_optional_vector("dt_bias", params.dt_bias, t.x, 1, "heads");
  r.z = t.read_gate(params.z);
  r.batch = t.read_requests_and_slots(params);
  r.state = {t.state.data(), t.state.byte_stride(0), t.state.byte_stride(1), t.state.byte_stride(2),
             t.state.floating()};
  r.out = rows_of(t.out);
  return r;
}

}  // namespace cpu
