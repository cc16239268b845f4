// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_MAMBA_KERNEL_RECURRENCE_H
#define CPU_MAMBA_KERNEL_RECURRENCE_H

// What the scan of MAMBA2, linear attention and the gated delta rule have in common, on checked arguments: a matrix S
// for each head, keys by values, and for each token
//
//     S = e^g S + k^T w      out = q S
//
//     scan     q = C, k = B, w = d x, g = d A        and then out = (out + D x) silu(z)
//     linear   w = v, g = -slope
//     delta    w = sigmoid(b) (v - k e^g S), g = -exp(A_log) softplus(a + dt_bias); q and k normalised

#include <backend_registry/services/threads.hpp>

#include "batch.h"
#include "common/rows.h"
#include "common/scratch.h"

namespace cpu {

// [slots, heads, rows, columns] whose rows are contiguous. Strides are in bytes.
struct States {
  std::byte *data = nullptr;
  int64_t slot_stride = 0;
  int64_t head_stride = 0;
  int64_t row_stride = 0;
  Element element = Element::float32;

  std::byte *row(int64_t slot, int64_t head, int64_t row) const {
    return data + slot * slot_stride + head * head_stride + row * row_stride;
  }
};

struct Recurrence {
  enum class Kind { scan, linear, delta };

  Kind kind = Kind::scan;
  Batch batch;
  HeadRows query, key;               // [T, groups, key_size]
  HeadRows value, out;               // [T, heads, value_size]
  HeadRows first_gate, second_gate;  // rows of one element: dt; a and b
  PerHead decay;                     // A, slopes, A_log
  PerHead gate_bias;                 // dt_bias, or none
  PerHead skip;                      // D, or none
  HeadRows z;                        // or none
  States state;                      // rows of values; linear: rows of keys
  int64_t heads = 0;
  int64_t groups = 0;
  int64_t key_size = 0;
  int64_t value_size = 0;
  int64_t chunk_size = 0;  // 0: the kernel's choice
  bool dt_softplus = false;

  int64_t heads_of_group() const { return heads / groups; }
  bool rows_are_keys() const { return kind == Kind::linear; }
};

// Some heads of one group, in one request.
struct HeadTask {
  int64_t request;
  int64_t group;
  int64_t first_head, heads;  // first_head within the whole
};

void run(const Recurrence &recurrence, Scratch &scratch, const bkr::threads &threads);

}  // namespace cpu

#endif  // CPU_MAMBA_KERNEL_RECURRENCE_H
