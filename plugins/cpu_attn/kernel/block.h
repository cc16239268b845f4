// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_ATTN_KERNEL_BLOCK_H
#define CPU_ATTN_KERNEL_BLOCK_H

// The two products of a block of query rows with a block of keys and values:
//     scores [rows, count] = query [rows, head_size] . key^T
//     out    [rows, head_size] += weights [rows, count] . value
// once for many rows, where arithmetic decides, and once for few (decoding), where reading the cache does.

#include <cstdint>

#include "common/element.h"
#include "key_value.h"

namespace cpu {

// A float32 matrix in scratch memory, rows `stride` floats apart.
struct Block {
  float *data;
  int64_t stride;

  float *row(int64_t i) const { return data + i * stride; }
};

// What is read: the tokens first … first + count - 1, `size` elements of each.
struct Tokens {
  const TokenRows *rows;
  Element element;
  int64_t first;
  int64_t count;
  int64_t size;
};

// With many rows both products are matrix products of a library, on a copy of the tokens in float32: `copy` has
// room for count rows of `size` floats. Values are the first values.size of the `stride` floats of a row.
void copy_tokens(const Tokens &tokens, float *copy);
void scores_of_many(Block query, int64_t rows, const Tokens &keys, const float *copy, Block scores);
void add_values_of_many(Block weights, int64_t rows, const Tokens &values, int64_t stride, const float *copy,
                        Block out);

// With few rows the tokens are read once, where they lie, and used for all rows at once.
void scores_of_few(Block query, int64_t rows, const Tokens &keys, Block scores);
void add_values_of_few(Block weights, int64_t rows, const Tokens &values, Block out);

// Whether none of the elements is infinite or no number.
bool all_finite(const Tokens &tokens);

}  // namespace cpu

#endif  // CPU_ATTN_KERNEL_BLOCK_H
