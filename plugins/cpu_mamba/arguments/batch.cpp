// SPDX-License-Identifier: Apache-2.0
#include "batch.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/refuse.h"

namespace cpu {
namespace {

constexpr const char *kRequests = "requests, one less than query_start_loc's dimension 0";

void check_slots(const Batch &batch, const Tensor &state) {
  std::vector<std::pair<int64_t, int64_t>> used;  // slot and request
  for (int64_t r = 0; r < batch.requests.count; ++r) {
    const int64_t slot = batch.slot(r);
    if (slot < 0) continue;
    if (slot >= state.size(0)) {
      refuse("state_indices[", r, "] is ", slot, ", but ", state.name(), " has ", state.size(0),
             " slots (dimension 0)");
    }
    used.emplace_back(slot, r);
  }
  std::sort(used.begin(), used.end());
  const auto same = [](const auto &a, const auto &b) { return a.first == b.first; };
  const auto twice = std::adjacent_find(used.begin(), used.end(), same);
  if (twice == used.end()) return;
  refuse("state_indices[", (twice + 1)->second, "] is ", twice->first, ", as state_indices[", twice->second,
         "] is; no two requests of a call may have the same slot");
}

}  // namespace

Batch read_batch(const DLTensor *query_start_loc, const DLTensor *state_indices, const DLTensor *has_initial_state,
                 const Tensor &rows, const Tensor &state) {
  Batch batch;
  batch.requests = read_requests("query_start_loc", query_start_loc, rows);
  const Tensor slots("state_indices", state_indices, 1);
  batch.slots = read_vector(slots);
  slots.expect_size(0, batch.requests.count, kRequests);
  if (has_initial_state != nullptr) {
    const Tensor initial("has_initial_state", has_initial_state, 1);
    batch.initial = read_vector(initial);
    initial.expect_size(0, batch.requests.count, kRequests);
    for (int64_t r = 0; r < batch.requests.count; ++r) {
      const int64_t value = batch.initial(r);
      if (value != 0 && value != 1) refuse("has_initial_state[", r, "] is ", value, "; it must be 0 or 1");
    }
  }
  check_slots(batch, state);
  return batch;
}

HeadRows rows_of(const Tensor &tensor) {
  const bool heads = tensor.rank() > 2;
  return {tensor.data(), tensor.byte_stride(0), heads ? tensor.byte_stride(1) : 0, tensor.floating()};
}

HeadRows rows_of_ones(const Tensor &tensor) {
  return {tensor.data(), tensor.byte_stride(0), tensor.byte_stride(1), tensor.floating()};
}

PerHead read_optional_vector(const char *name, const DLTensor *given, const Tensor &like, int dimension,
                             const char *meaning) {
  if (given == nullptr) return {};
  const Tensor tensor(name, given, 1);
  tensor.expect_same(0, like, dimension, meaning);
  return {tensor.data(), tensor.byte_stride(0), tensor.floating()};
}

void check_chunk_size(int32_t chunk_size) {
  if (chunk_size < 0) refuse("chunk_size is ", chunk_size, "; it must be 0 (the backend's choice) or more");
}

void check_groups(const Tensor &grouped, const Tensor &headed, const char *meaning) {
  grouped.expect_at_least(1, 1, "groups");
  if (headed.size(1) % grouped.size(1) == 0) return;
  refuse(headed.name(), "'s dimension 1 (", meaning, ") is ", headed.size(1), ", which ", grouped.name(),
         "'s dimension 1 (", grouped.size(1), " groups) does not divide");
}

void expect_float32(const Tensor &tensor) { tensor.expect_type(kDLFloat, 32); }

}  // namespace cpu
