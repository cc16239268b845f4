// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_ATTN_KERNEL_WRITE_KV_H
#define CPU_ATTN_KERNEL_WRITE_KV_H

#include "attention.h"

namespace cpu {

// Rows of new keys and values, and the places in the cache they go to. Slots have free strides.
struct CacheWrite {
  HeadRows key, value;
  KeyValues key_cache, value_cache;
  const std::byte *slots = nullptr;  // int64
  int64_t slot_stride = 0;           // bytes
  int64_t tokens = 0;
  int64_t kv_heads = 0;
  int64_t head_size = 0;
  int64_t value_head_size = 0;

  int64_t slot(int64_t token) const { return *reinterpret_cast<const int64_t *>(slots + token * slot_stride); }
};

void run(const CacheWrite &write);

}  // namespace cpu

#endif  // CPU_ATTN_KERNEL_WRITE_KV_H
