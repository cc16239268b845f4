// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_ATTN_MEMBERS_CPU_MLA_H
#define CPU_ATTN_MEMBERS_CPU_MLA_H

#include <algorithm>
#include <backend_registry/interfaces/attention.hpp>

#include "arguments/read.h"
#include "common/refuse.h"

namespace cpu {

// Multi-head latent attention on the latent rows themselves (DeepSeek-V2, arXiv 2405.04434): all heads read one row
// a token, which is the key, and whose first columns are the value. Engines ask for rows of 576 elements, 512 of them
// the value; any sizes are served.
class CpuMla : public bkr::attention_backend {
 public:
  const char *name() const noexcept override { return "CPU_MLA"; }

  void validate(const bkr::options &facts, bkr::reasons &against) override { kAbilities.check(facts, against); }

  // [NB, BS, D]; head_size is that of the whole row.
  void kv_cache_shape(const bkr_attention_kv_cache_params &params, void *stream) override {
    bkr::attention_backend::kv_cache_shape(params, stream);
    if (params.num_kv_heads != 1) {
      refuse("num_kv_heads is ", params.num_kv_heads, "; a latent cache has one row for all heads, it must be 1");
    }
    const int64_t shape[] = {params.num_blocks, params.block_size, params.head_size};
    std::copy(std::begin(shape), std::end(shape), params.shape);
    *params.ndim = 3;
  }

  void write_kv(const bkr_attention_write_kv_params &params, void *stream) override {
    expect_no_stream(stream);
    run(read_latent(params));
  }

  void forward(const bkr_attention_forward_params &params, void *stream) override {
    expect_no_stream(stream);
    run(read_latent(params), scratch_, bkr::threads(host()));
  }

 private:
  static constexpr bkr::attention_abilities kAbilities = {
      .head_sizes = {576},
      .dtypes = {"float32", "float16", "bfloat16"},
      .kv_cache_dtypes = {"auto", "float32", "float16", "bfloat16"},
      .block_sizes = {16},
      .mla = bkr::support::only,
      .non_causal = true,
      .kv_connector = true,
  };

  Scratch scratch_;
};

}  // namespace cpu

#endif  // CPU_ATTN_MEMBERS_CPU_MLA_H
