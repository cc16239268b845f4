// SPDX-License-Identifier: Apache-2.0
// Attention on the CPU: checks the arguments (arguments/), computes (kernel/). This file is all that knows of plugins.
#include <backend_registry/interfaces/attention.hpp>

#include "arguments/read.h"
#include "common/refuse.h"
#include "kernel/attention.h"
#include "kernel/write_kv.h"

namespace cpu {
namespace {

void expect_no_stream(const void *stream) {
  if (stream != nullptr) refuse("stream is not NULL; there are none on a CPU");
}

constexpr bkr::attention_abilities kAbilities = {
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

class CpuAttention : public bkr::attention_backend {
 public:
  const char *name() const noexcept override { return "CPU_ATTN"; }

  void validate(const bkr::options &facts, bkr::reasons &against) override { kAbilities.check(facts, against); }

  void write_kv(const bkr_attention_write_kv_params &params, void *stream) override {
    expect_no_stream(stream);
    run(read(params));
  }

  void forward(const bkr_attention_forward_params &params, void *stream) override {
    expect_no_stream(stream);
    Attention attention = read(params);
    const bool encoder = params.attn_type == BKR_ATTN_ENCODER || params.attn_type == BKR_ATTN_ENCODER_ONLY;
    if (encoder && attention.softcap > 0.0f) ignore_softcap(attention);
    run(attention, scratch_, bkr::threads(host()));
  }

 private:
  void ignore_softcap(Attention &attention) {
    attention.softcap = 0.0f;
    if (!warned_) host().log(BKR_LOG_WARN, "CPU_ATTN: softcap is ignored for encoder attention");
    warned_ = true;
  }

  Scratch scratch_;
  bool warned_ = false;
};

}  // namespace
}  // namespace cpu

BKR_CREATE_FUNCTION(create_backend, cpu::CpuAttention)
BKR_PLUGIN("org.backend-registry.cpu_attn", "1.0.0",
           BKR_BACKEND("attention", "CPU_ATTN", "vllm.v1.attention.backends.cpu_attn.CPUAttentionBackend",
                       create_backend, BKR_ATTENTION_1, CPU_PLUGIN_LEVEL, 0));
