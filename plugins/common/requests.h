// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_COMMON_REQUESTS_H
#define CPU_COMMON_REQUESTS_H

#include "indices.h"
#include "tensor.h"

namespace cpu {

// An int32 vector of a call.
Indices read_vector(const Tensor &tensor);

// Where each request's rows begin among the tokens of a batch, and where the last one's end.
struct Requests {
  int64_t count = 0;
  Indices starts;

  int64_t begin(int64_t request) const { return starts(request); }
  int64_t end(int64_t request) const { return starts(request + 1); }
  int64_t tokens(int64_t request) const { return end(request) - begin(request); }
};

// A query_start_loc, under the name it has in the interface, of `rows`, whose dimension 0 are the tokens.
Requests read_requests(const char *name, const DLTensor *tensor, const Tensor &rows);

}  // namespace cpu

#endif  // CPU_COMMON_REQUESTS_H
