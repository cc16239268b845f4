// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_ATTN_MEMBERS_CPU_ATTN_H
#define CPU_ATTN_MEMBERS_CPU_ATTN_H

#include <backend_registry/interfaces/attention.hpp>

#include "arguments/read.h"
#include "common/refuse.h"

namespace cpu {

// Attention of all four types, over a paged cache or over the rows of the call.
class CpuAttention : public bkr::attention_backend {
 public:
  const char *name() const noexcept override { return "CPU_ATTN"; }

  void validate(const bkr::options &facts, bkr::reasons &against) override { kAbilities.check(facts, against); }

  void write_kv(const bkr_attention_write_kv_params &params, void *stream) override {
    expect_no_stream(stream);
    run(read_attention(params));
  }

  void forward(const bkr_attention_forward_params &params, void *stream) override {
    expect_no_stream(stream);
    Attention attention = read_attention(params);
    const bool encoder = params.attn_type == BKR_ATTN_ENCODER || params.attn_type == BKR_ATTN_ENCODER_ONLY;
    if (encoder && attention.softcap > 0.0f) ignore_softcap(attention);
    run(attention, scratch_, bkr::threads(host()));
  }

 private:
  static constexpr bkr::attention_abilities kAbilities = {
      .head_sizes = {32, 64, 80, 96, 112, 128, 160, 192, 224, 256, 512},
      .dtypes = {"float32", "float16", "bfloat16"},
      .kv_cache_dtypes = {"auto", "float32", "float16", "bfloat16"},
      .block_sizes = {16},
      .attention_types = {"decoder", "encoder", "encoder_only", "encoder_decoder"},
      .sinks = true,
      .sliding_window = true,
      .non_causal = true,
      .kv_connector = true,
  };

  void ignore_softcap(Attention &attention) {
    attention.softcap = 0.0f;
    if (!warned_) host().log(BKR_LOG_WARN, "CPU_ATTN: softcap is ignored for encoder attention");
    warned_ = true;
  }

  Scratch scratch_;
  bool warned_ = false;
};

}  // namespace cpu

#endif  // CPU_ATTN_MEMBERS_CPU_ATTN_H
