// SPDX-License-Identifier: Apache-2.0
#include "batch.h"
#include "common/refuse.h"
#include "read.h"

namespace cpu {
namespace {

HeadRows read_like_x(const char *name, const DLTensor *given, const Tensor &x) {
  const Tensor tensor(name, given, 2);
  static_cast<void>(tensor.floating_as(x));
  tensor.expect_same(0, x, 0, "tokens");
  tensor.expect_same(1, x, 1, "channels");
  return rows_of(tensor);
}

}  // namespace

Conv read(const bkr_mamba_conv_params &params) {
  check_zero("flags", params.flags);
  check_zero("reserved0", params.reserved0);
  if (params.activation != BKR_MAMBA_ACTIVATION_NONE && params.activation != BKR_MAMBA_ACTIVATION_SILU) {
    refuse("activation is ", params.activation, ", which is none");
  }
  const Tensor x("x", params.x, 2);
  const Tensor weight("weight", params.weight, 2);
  const Tensor state("conv_state", params.conv_state, 3);
  const Tensor out("out", params.out, 2);
  x.expect_at_least(1, 1, "channels");
  weight.expect_same(0, x, 1, "channels");
  weight.expect_at_least(1, 1, "taps");
  state.expect_same(1, x, 1, "channels");
  state.expect_size(2, weight.size(1) - 1, "taps but one, of weight's dimension 1");

  Conv conv;
  conv.silu = params.activation == BKR_MAMBA_ACTIVATION_SILU;
  conv.channels = x.size(1);
  conv.taps = weight.size(1);
  conv.x = rows_of(x);
  conv.weight = rows_of(weight);
  conv.bias = read_optional_vector("bias", params.bias, x, 1, "channels");
  if (params.input_gate != nullptr) conv.input_gate = read_like_x("input_gate", params.input_gate, x);
  if (params.output_gate != nullptr) conv.output_gate = read_like_x("output_gate", params.output_gate, x);
  conv.batch = read_batch(params.query_start_loc, params.state_indices, params.has_initial_state, x, state);
  conv.state = {state.data(), state.byte_stride(0), state.byte_stride(1), state.byte_stride(2),
                state.scattered_floating()};
  state.expect_disjoint();
  conv.out = read_like_x("out", params.out, x);
  out.expect_disjoint();
  return conv;
}

}  // namespace cpu
