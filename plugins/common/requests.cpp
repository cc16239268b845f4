// SPDX-License-Identifier: Apache-2.0
#include "requests.h"

#include "refuse.h"

namespace cpu {

Indices read_vector(const Tensor &tensor) {
  tensor.expect_type(kDLInt, 32);
  return {tensor.data(), 0, tensor.byte_stride(0)};
}

Requests read_requests(const char *name, const DLTensor *tensor, const Tensor &rows) {
  const Tensor starts(name, tensor, 1);
  starts.expect_type(kDLInt, 32);
  starts.expect_at_least(0, 1, "requests and one more");
  const Requests requests{starts.size(0) - 1, read_vector(starts)};
  if (requests.begin(0) != 0) refuse(name, "[0] is ", requests.begin(0), "; it must be 0");
  for (int64_t r = 0; r < requests.count; ++r) {
    if (requests.tokens(r) < 0) {
      refuse(name, "[", r + 1, "] is ", requests.end(r), ", less than ", name, "[", r, "], ", requests.begin(r));
    }
  }
  if (requests.begin(requests.count) != rows.size(0)) {
    refuse(name, "[", requests.count, "] is ", requests.begin(requests.count), ", but ", rows.name(),
           "'s dimension 0 (tokens) is ", rows.size(0));
  }
  return requests;
}

}  // namespace cpu
