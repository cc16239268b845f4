// SPDX-License-Identifier: Apache-2.0
#include "state_shapes.h"

#include <algorithm>
#include <vector>

#include "common/refuse.h"

namespace cpu {
namespace {

using Shape = std::vector<int64_t>;

int64_t times(int64_t a, int64_t b) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) refuse("a state of these sizes is larger than memory can be addressed");
  return product;
}

int64_t plus(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) refuse("a state of these sizes is larger than memory can be addressed");
  return sum;
}

void give(const Shape &shape, int64_t *to, int32_t *ndim) {
  std::copy(shape.begin(), shape.end(), to);
  *ndim = static_cast<int32_t>(shape.size());
}

void expect_addressable(const Shape &shape) {
  int64_t bytes = 4;
  for (const int64_t size : shape) bytes = times(bytes, std::max<int64_t>(1, size));
}

void expect_positive(const char *field, int64_t value) {
  if (value < 1) refuse(field, " is ", value, "; it must be at least 1");
}

}  // namespace

void give_state_shapes(Member member, const bkr_mamba_state_params &p) {
  if (p.flags != 0) refuse("flags is ", p.flags, "; it must be 0");
  const bool conv = member != Member::linear;
  const bool state = member != Member::short_conv;
  const bool groups = member == Member::mamba2 || member == Member::gated_delta;
  expect_positive("num_slots", p.num_slots);
  expect_positive("num_heads", p.num_heads);
  expect_positive("head_size", p.head_size);
  if (groups) expect_positive("num_groups", p.num_groups);
  if (state) expect_positive("state_size", p.state_size);
  if (conv) expect_positive("conv_width", p.conv_width);
  if (groups && p.num_heads % p.num_groups != 0) {
    refuse("num_groups is ", p.num_groups, ", which does not divide num_heads, ", p.num_heads);
  }
  if (p.conv_state_shape == nullptr) refuse("conv_state_shape is NULL");
  if (p.state_shape == nullptr) refuse("state_shape is NULL");
  if (p.conv_state_ndim == nullptr) refuse("conv_state_ndim is NULL");
  if (p.state_ndim == nullptr) refuse("state_ndim is NULL");

  const int64_t inner = times(p.num_heads, p.head_size);
  Shape conv_shape;
  if (conv) {
    const int64_t shared = groups ? times(2, times(p.num_groups, p.state_size)) : 0;
    conv_shape = {p.num_slots, plus(inner, shared), p.conv_width - 1};
  }
  Shape state_shape;
  if (member == Member::mamba1) {
    state_shape = {p.num_slots, inner, p.state_size};
  } else if (member == Member::linear) {
    state_shape = {p.num_slots, p.num_heads, p.state_size, p.head_size};
  } else if (state) {
    state_shape = {p.num_slots, p.num_heads, p.head_size, p.state_size};
  }
  expect_addressable(conv_shape);
  expect_addressable(state_shape);
  give(conv_shape, p.conv_state_shape, p.conv_state_ndim);
  give(state_shape, p.state_shape, p.state_ndim);
}

}  // namespace cpu
