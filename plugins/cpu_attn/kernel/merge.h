// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_ATTN_KERNEL_MERGE_H
#define CPU_ATTN_KERNEL_MERGE_H

#include "attention.h"

namespace cpu {

// Attention of the same queries over some keys.
struct Part {
  HeadRows out;
  PerRow lse;
};

// Two parts, and where attention over the keys of both goes: `to` may be one of them.
struct Merge {
  Part a, b, to;
  int64_t tokens = 0;
  int64_t heads = 0;
  int64_t head_size = 0;
};

void run(const Merge &merge, const bkr::threads &threads);

}  // namespace cpu

#endif  // CPU_ATTN_KERNEL_MERGE_H
