// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_ATTN_ARGUMENTS_READ_H
#define CPU_ATTN_ARGUMENTS_READ_H

// From the parameters of a call to what the kernels take. All that can be wrong is found here, before anything is
// written: bkr::error with BKR_INVALID_ARGUMENT, or BKR_UNSUPPORTED for what only other backends have.

#include <backend_registry/interfaces/attention.h>
#include <backend_registry/interfaces/mla_prefill.h>

#include "kernel/attention.h"
#include "kernel/merge.h"
#include "kernel/write_kv.h"

namespace cpu {

// CPU_ATTN: keys and values in a cache of blocks [2, NB, KH, BS, D], or in the call (attention.cpp).
Attention read_attention(const bkr_attention_forward_params &params);
CacheWrite read_attention(const bkr_attention_write_kv_params &params);

// CPU_MLA: latent rows in a cache of blocks [NB, BS, D] (latent.cpp).
Attention read_latent(const bkr_attention_forward_params &params);
CacheWrite read_latent(const bkr_attention_write_kv_params &params);

// NO_ATTENTION: the rows of out to be cleared; of a write there is nothing to be kept (none.cpp).
Attention read_none(const bkr_attention_forward_params &params);
void check_none(const bkr_attention_write_kv_params &params);

// MLA prefill (mla_prefill.cpp).
Attention read_prefill(const bkr_mla_prefill_params &params);
Merge read_merge(const bkr_mla_merge_params &params);

}  // namespace cpu

#endif  // CPU_ATTN_ARGUMENTS_READ_H
