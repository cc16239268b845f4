// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_ATTN_KERNEL_FEW_PRODUCTS_H
#define CPU_ATTN_KERNEL_FEW_PRODUCTS_H

// The two products of a few query rows with a block of keys and values:
//     scores [rows, count] = query [rows, head_size] . key^T
//     out    [rows, head_size] += weights [rows, count] . value
// Reading the cache decides (decoding): the tokens are read once, where they lie, and used for all rows at once.

#include "block.h"
#include "tokens.h"

namespace cpu {

void scores_of_few(Block query, int64_t rows, const Tokens &keys, Block scores);
void add_values_of_few(Block weights, int64_t rows, const Tokens &values, Block out);

}  // namespace cpu

#endif  // CPU_ATTN_KERNEL_FEW_PRODUCTS_H
