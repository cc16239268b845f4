// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_KERNELS_ATTENTION_BATCH_H
#define BKR_TESTS_KERNELS_ATTENTION_BATCH_H

// A batch for bkr.attention/1, with all its tensors, as an engine would lay it out: requests of different lengths,
// their blocks scattered over the cache.

#include <backend_registry/interfaces/attention.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "strided_tensor.h"

namespace bkr::test {

struct Request {
  int64_t queries;
  int64_t seq_len;
};

// What kind of batch. The strides are part of it: `scattered` makes query, key and value views into one projection,
// out and cache rows with gaps, and the cache's blocks token by token ([2, NB, BS, KH, D] in memory; a latent one the
// other way, [BS, NB, D]).
struct BatchKind {
  std::vector<Request> requests = {{3, 3}};
  int64_t heads = 2;
  int64_t kv_heads = 1;
  int64_t head_size = 4;
  int64_t value_head_size = 0;  // 0: head_size
  bool latent = false;          // a cache of rows [NB, BS, head_size], the first value_head_size of them the value
  int64_t block_size = 2;
  std::string dtype = "float32";
  std::string cache_dtype = "float32";
  bool scattered = false;
  double amplitude = 1.0;  // of query and key: the scores grow with its square
  uint32_t seed = 1;
};

// All memory that no request uses (free blocks, the rest of the last block, table entries behind the last block) is
// poison: NaN, and block numbers far outside.
class AttentionBatch {
 public:
  explicit AttentionBatch(const BatchKind &kind);

  bkr_attention_write_kv_params write_kv();  // all tokens of all requests, in mixed order, some to be skipped
  bkr_attention_forward_params forward();    // on the cache; scale is 1/sqrt(D)

  StridedTensor query, key, value, kv_cache, out;
  StridedTensor query_start_loc, seq_lens, block_table, slot_mapping;
  StridedTensor alibi_slopes, sinks;

 private:
  void fill_tables(const BatchKind &kind);
  std::mt19937 random_;
};

// Fills a tensor with numbers from -amplitude to amplitude that all element types hold exactly.
void fill_random(StridedTensor &tensor, std::mt19937 &random, double amplitude);

}  // namespace bkr::test

#endif  // BKR_TESTS_KERNELS_ATTENTION_BATCH_H
