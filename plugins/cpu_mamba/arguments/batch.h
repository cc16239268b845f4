// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_MAMBA_ARGUMENTS_BATCH_H
#define CPU_MAMBA_ARGUMENTS_BATCH_H

// What the functions' parameters have in common.

#include <dlpack/dlpack.h>

#include "common/refuse.h"
#include "common/rows.h"
#include "common/tensor.h"
#include "kernel/batch.h"

namespace cpu {

// The fields of these names. `rows` has the tokens as dimension 0, `state` the slots.
Batch read_batch(const DLTensor *query_start_loc, const DLTensor *state_indices, const DLTensor *has_initial_state,
                 const Tensor &rows, const Tensor &state);

HeadRows rows_of(const Tensor &tensor);       // [T, heads, size], or [T, size] as one head
HeadRows rows_of_ones(const Tensor &tensor);  // [T, heads], as rows of one element each

// A vector of any of the types with one element for each head (or channel), which are dimension `dimension` of `like`;
// NULL: none.
PerHead read_optional_vector(const char *name, const DLTensor *tensor, const Tensor &like, int dimension,
                             const char *meaning);

void check_chunk_size(int32_t chunk_size);
// `heads` a multiple of the groups that are dimension 1 of `grouped`.
void check_groups(const Tensor &grouped, const Tensor &headed, const char *meaning);
void expect_float32(const Tensor &tensor);

}  // namespace cpu

#endif  // CPU_MAMBA_ARGUMENTS_BATCH_H
