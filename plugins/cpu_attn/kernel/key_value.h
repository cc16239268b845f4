// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_ATTN_KERNEL_KEY_VALUE_H
#define CPU_ATTN_KERNEL_KEY_VALUE_H

// Where the keys (or the values) of one request and head lie: in the blocks of a paged cache, or as the rows of a
// tensor. Kernels see both as runs of tokens at equal distances.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/indices.h"

namespace cpu {

// `count` tokens, each a row of elements, `stride` bytes apart.
struct Run {
  const std::byte *data;
  int64_t stride;
  int64_t count;
};

// The rows of one request and one head. Strides are in bytes.
struct TokenRows {
  const std::byte *data = nullptr;  // of the head: token 0 of block 0, or token 0 of the request
  int64_t token_stride = 0;
  int64_t block_stride = 0;
  int64_t block_size = 0;  // 0: not paged
  Indices block_table;     // of the batch
  int64_t request = 0;

  // The tokens from `first` on, `limit` at most, that lie at equal distances.
  Run run(int64_t first, int64_t limit) const {
    if (block_size == 0) return {data + first * token_stride, token_stride, limit};
    const int64_t place = first % block_size;
    const int64_t block = block_table(request, first / block_size);
    return {data + block * block_stride + place * token_stride, token_stride, std::min(limit, block_size - place)};
  }
};

}  // namespace cpu

#endif  // CPU_ATTN_KERNEL_KEY_VALUE_H
