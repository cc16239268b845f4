// SPDX-License-Identifier: Apache-2.0
// The five layers with a state on the CPU: checks the arguments (arguments/), computes (kernel/). This file is all
// that knows of plugins.
#include <backend_registry/interfaces/mamba.hpp>
#include <backend_registry/services/threads.hpp>

#include "arguments/read.h"
#include "common/refuse.h"
#include "common/scratch.h"
#include "state_shapes.h"

namespace cpu {
namespace {

// The member's name, which is what an engine calls a layer's type.
std::string_view type_of(Member member) {
  switch (member) {
    case Member::mamba1:
      return "MAMBA1";
    case Member::mamba2:
      return "MAMBA2";
    case Member::short_conv:
      return "SHORT_CONV";
    case Member::linear:
      return "LINEAR";
    case Member::gated_delta:
      return "GDN_ATTN";
  }
  return "";
}

class Mamba : public bkr::mamba_backend {
 public:
  explicit Mamba(Member member) : member_(member) {}

  void validate(const bkr::options &facts, bkr::reasons &against) override {
    bkr::mamba_abilities can;
    can.mamba_types = {type_of(member_)};
    can.dtypes = {"float32", "float16", "bfloat16"};
    can.state_dtypes = {"float32", "float16", "bfloat16"};
    can.check(facts, against);
  }

  void state_shapes(const bkr_mamba_state_params &params, void *stream) override {
    expect_no_stream(stream);
    give_state_shapes(member_, params);
  }

 protected:
  template <class Work>
  void work(const Work &work, void *stream) {
    expect_no_stream(stream);
    run(work, scratch_, bkr::threads(host()));
  }

 private:
  Member member_;
  Scratch scratch_;
};

// Those that have a convolution.
class WithConvolution : public Mamba {
 public:
  using Mamba::Mamba;
  void causal_conv1d(const bkr_mamba_conv_params &params, void *stream) override { work(read(params), stream); }
};

class Mamba1 : public WithConvolution {
 public:
  Mamba1() : WithConvolution(Member::mamba1) {}
  const char *name() const noexcept override { return "MAMBA1_ATTN"; }
  void selective_scan(const bkr_mamba_scan_params &params, void *stream) override {
    work(read_channel_scan(params), stream);
  }
};

class Mamba2 : public WithConvolution {
 public:
  Mamba2() : WithConvolution(Member::mamba2) {}
  const char *name() const noexcept override { return "MAMBA2_ATTN"; }
  void selective_scan(const bkr_mamba_scan_params &params, void *stream) override {
    work(read_head_scan(params), stream);
  }
};

class ShortConv : public WithConvolution {
 public:
  ShortConv() : WithConvolution(Member::short_conv) {}
  const char *name() const noexcept override { return "SHORT_CONV_ATTN"; }
};

class Linear : public Mamba {
 public:
  Linear() : Mamba(Member::linear) {}
  const char *name() const noexcept override { return "LINEAR_ATTN"; }
  void linear_attention(const bkr_mamba_linear_params &params, void *stream) override { work(read(params), stream); }
};

class GatedDelta : public WithConvolution {
 public:
  GatedDelta() : WithConvolution(Member::gated_delta) {}
  const char *name() const noexcept override { return "GDN_ATTN"; }
  void gated_delta_rule(const bkr_mamba_delta_params &params, void *stream) override { work(read(params), stream); }
};

}  // namespace
}  // namespace cpu

BKR_CREATE_FUNCTION(create_mamba1, cpu::Mamba1)
BKR_CREATE_FUNCTION(create_mamba2, cpu::Mamba2)
BKR_CREATE_FUNCTION(create_short_conv, cpu::ShortConv)
BKR_CREATE_FUNCTION(create_linear, cpu::Linear)
BKR_CREATE_FUNCTION(create_gdn, cpu::GatedDelta)

BKR_PLUGIN("org.backend-registry.cpu_mamba", "1.0.0",
           BKR_BACKEND("mamba", "MAMBA1", "vllm.v1.attention.backends.mamba1_attn.Mamba1AttentionBackend",
                       create_mamba1, BKR_MAMBA_1, CPU_PLUGIN_LEVEL, 0),
           BKR_BACKEND("mamba", "MAMBA2", "vllm.v1.attention.backends.mamba2_attn.Mamba2AttentionBackend",
                       create_mamba2, BKR_MAMBA_1, CPU_PLUGIN_LEVEL, 0),
           BKR_BACKEND("mamba", "SHORT_CONV", "vllm.v1.attention.backends.short_conv_attn.ShortConvAttentionBackend",
                       create_short_conv, BKR_MAMBA_1, CPU_PLUGIN_LEVEL, 0),
           BKR_BACKEND("mamba", "LINEAR", "vllm.v1.attention.backends.linear_attn.LinearAttentionBackend",
                       create_linear, BKR_MAMBA_1, CPU_PLUGIN_LEVEL, 0),
           BKR_BACKEND("mamba", "GDN_ATTN", "vllm.v1.attention.backends.gdn_attn.GDNAttentionBackend", create_gdn,
                       BKR_MAMBA_1, CPU_PLUGIN_LEVEL, 0));
