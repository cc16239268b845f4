// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_ATTN_ARGUMENTS_READ_H
#define CPU_ATTN_ARGUMENTS_READ_H

// From the parameters of a call to what the kernels take. All that can be wrong is found here, before anything is
// written: bkr::error with BKR_INVALID_ARGUMENT, or BKR_UNSUPPORTED for what only other backends have.

#include <backend_registry/interfaces/attention.h>

#include "common/tensor.h"
#include "kernel/attention.h"
#include "kernel/write_kv.h"

namespace cpu {

Attention read(const bkr_attention_forward_params &params);
CacheWrite read(const bkr_attention_write_kv_params &params);

// [2, blocks, heads, tokens of a block, size] as keys (half 0) or values (half 1).
Tensor read_cache(const DLTensor *kv_cache);
KeyValues half_of_cache(const Tensor &cache, int half);

HeadRows head_rows(const Tensor &tensor);

// flags, kv_cache_dtype and the two scales.
void check_cache_type(int32_t kv_cache_dtype, double key_scale, double value_scale);
void check_zero(const char *field, int64_t value);

}  // namespace cpu

#endif  // CPU_ATTN_ARGUMENTS_READ_H
