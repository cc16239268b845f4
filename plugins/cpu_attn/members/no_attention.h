// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_ATTN_MEMBERS_NO_ATTENTION_H
#define CPU_ATTN_MEMBERS_NO_ATTENTION_H

#include <algorithm>
#include <backend_registry/interfaces/attention.hpp>

#include "arguments/read.h"
#include "common/refuse.h"

namespace cpu {

// For the layers of a model whose attention was taken out (as architecture search does): out is 0, so that what is
// added to the residual stream is nothing. There is no cache: kv_cache_shape gives [0], write_kv keeps nothing, and
// neither looks at kv_cache, nor forward at seq_lens and block_table; they may be NULL. All else is checked.
class NoAttention : public bkr::attention_backend {
 public:
  const char *name() const noexcept override { return "NO_ATTENTION"; }

  // It could serve every fact, with zeros: an engine that asks for attention must not be given it by an automatic
  // choice. So it stands against all but those who ask for exactly this.
  void validate(const bkr::options &facts, bkr::reasons &against) override {
    kAbilities.check(facts, against);
    if (facts.find("no_attention") != "1") against.add("computes no attention; ask for that with no_attention=1");
  }

  void kv_cache_shape(const bkr_attention_kv_cache_params &params, void *stream) override {
    bkr::attention_backend::kv_cache_shape(params, stream);
    params.shape[0] = 0;
    *params.ndim = 1;
  }

  void write_kv(const bkr_attention_write_kv_params &params, void *stream) override {
    expect_no_stream(stream);
    check_none(params);
  }

  void forward(const bkr_attention_forward_params &params, void *stream) override {
    expect_no_stream(stream);
    const Attention none = read_none(params);
    const int64_t bytes = none.value_head_size * size_of(none.out.element);
    for (int64_t token = 0; token < none.requests.begin(none.requests.count); ++token) {
      for (int64_t head = 0; head < none.heads; ++head) std::fill_n(none.out.row(token, head), bytes, std::byte{0});
    }
  }

 private:
  static constexpr bkr::attention_abilities kAbilities = {
      .dtypes = {"float32", "float16", "bfloat16"},
      .kv_cache_dtypes = {"auto", "float32", "float16", "bfloat16"},
      .attention_types = {},
      .mla = bkr::support::yes,
      .sparse = bkr::support::yes,
      .mm_prefix = true,
      .sinks = true,
      .per_head_quant_scales = true,
      .sliding_window = true,
      .non_causal = true,
      .batch_invariance = true,
      .kv_connector = true,
      .pcp = true,
      .dcp = true,
      .own_facts = {"no_attention"},
  };
};

}  // namespace cpu

#endif  // CPU_ATTN_MEMBERS_NO_ATTENTION_H
