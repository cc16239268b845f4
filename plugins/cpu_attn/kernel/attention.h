// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_ATTN_KERNEL_ATTENTION_H
#define CPU_ATTN_KERNEL_ATTENTION_H

// Attention on checked arguments: plain structs in, rows of `out` written.

#include <backend_registry/services/threads.hpp>
#include <cstddef>
#include <cstdint>

#include "common/element.h"
#include "common/requests.h"
#include "common/rows.h"
#include "common/scratch.h"
#include "key_value.h"

namespace cpu {

// A float32 [heads, tokens] tensor, or none. Strides are in bytes.
struct PerRow {
  std::byte *data = nullptr;
  int64_t head_stride = 0;
  int64_t token_stride = 0;

  explicit operator bool() const { return data != nullptr; }
  float &operator()(int64_t head, int64_t token) const {
    return *reinterpret_cast<float *>(data + head * head_stride + token * token_stride);
  }
};

// Keys or values of the whole batch.
struct KeyValues {
  std::byte *data = nullptr;  // token 0 of block 0 and head 0, or token 0 of the batch
  int64_t token_stride = 0;
  int64_t head_stride = 0;
  int64_t block_stride = 0;
  int64_t block_size = 0;  // 0: not paged
  Element element = Element::float32;
};

struct Attention {
  HeadRows query, out;
  PerRow lse;  // log(sum exp(score)), natural; written if it is there
  KeyValues key, value;
  bool values_in_keys = false;  // latent rows: the value is the first value_head_size elements of the key
  Requests requests;            // the query rows of each
  Indices key_starts;           // not paged: where each request's rows of key and value begin and the last one's end
  Indices seq_lens;             // paged
  Indices block_table;          // paged
  PerHead alibi_slopes, sinks;
  int64_t heads = 0;
  int64_t kv_heads = 0;
  int64_t head_size = 0;
  int64_t value_head_size = 0;
  float scale = 1.0f;
  float softcap = 0.0f;
  bool causal = false;
  int64_t window_left = -1;
  int64_t window_right = -1;

  int64_t keys(int64_t request) const {
    return key.block_size > 0 ? seq_lens(request) : key_starts(request + 1) - key_starts(request);
  }
};

// The keys that a query at a position sees: begin <= j < end.
struct Visible {
  int64_t begin;
  int64_t end;
};
Visible visible_keys(const Attention &attention, int64_t position, int64_t seq_len);

void run(const Attention &attention, Scratch &scratch, const bkr::threads &threads);

}  // namespace cpu

#endif  // CPU_ATTN_KERNEL_ATTENTION_H
