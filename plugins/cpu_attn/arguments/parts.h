// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_ATTN_ARGUMENTS_PARTS_H
#define CPU_ATTN_ARGUMENTS_PARTS_H

// Checks that several functions share, each of one or two parameters. What is in order is put into what the kernels
// take; what is not ends the call (read.h).

#include <backend_registry/interfaces/attention.h>

#include "common/tensor.h"
#include "kernel/attention.h"
#include "kernel/write_kv.h"

namespace cpu {

HeadRows head_rows(const Tensor &tensor);      // [tokens, heads, size]
KeyValues rows_of_call(const Tensor &tensor);  // [tokens, heads, size], not paged

float read_scale(double scale);
bool read_flag(const char *field, int32_t value);

// flags, attn_type, causal, the windows, scale, softcap and kv_cache_dtype.
void read_options(const bkr_attention_forward_params &params, Attention &a);
// kv_cache_dtype and the two scales.
void check_cache_type(int32_t kv_cache_dtype, double key_scale, double value_scale);

// query and query_start_loc.
Tensor read_query(const DLTensor *given, const DLTensor *starts, Attention &a);
// out, whose rows are a.value_head_size long.
void read_out(const DLTensor *given, const Tensor &query, Attention &a);

// The query heads are a multiple of the heads in a dimension of `keys`.
void expect_grouped(const Tensor &query, const Tensor &keys, int dimension);
// The size of value rows that was asked for, or `otherwise`.
int64_t value_head_size(const bkr_attention_forward_params &params, int64_t otherwise);

// seq_lens and block_table as such; what is in them is checked when everything else is known.
struct CacheTables {
  int64_t columns;  // of block_table
  int64_t blocks;   // of kv_cache
  int blocks_dimension;
};
CacheTables read_tables(const bkr_attention_forward_params &params, int64_t blocks, int blocks_dimension, Attention &a);
// The lengths, and the entries of the block table behind which a key is seen.
void check_requests(const CacheTables &tables, const Attention &a);

// slot_mapping, for the tokens of `key`. Which dimensions of the cache are blocks and tokens of a block is told.
void read_slots(const DLTensor *slot_mapping, const Tensor &key, const Tensor &cache, int blocks_dimension,
                int tokens_dimension, CacheWrite &write);

}  // namespace cpu

#endif  // CPU_ATTN_ARGUMENTS_PARTS_H
