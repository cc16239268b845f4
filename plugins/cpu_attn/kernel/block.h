// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_ATTN_KERNEL_BLOCK_H
#define CPU_ATTN_KERNEL_BLOCK_H

#include <cstdint>

namespace cpu {

// A float32 matrix in scratch memory, rows `stride` floats apart.
struct Block {
  float *data;
  int64_t stride;

  float *row(int64_t i) const { return data + i * stride; }
};

// A stride for rows of `size` floats that is no power of two: rows a page apart would share their places in the caches.
inline constexpr int64_t skewed(int64_t size) { return (size + 15) / 16 * 16 + 16; }

}  // namespace cpu

#endif  // CPU_ATTN_KERNEL_BLOCK_H
