// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_ATTN_MEMBERS_MLA_PREFILL_H
#define CPU_ATTN_MEMBERS_MLA_PREFILL_H

#include <backend_registry/interfaces/mla_prefill.hpp>

#include "arguments/read.h"
#include "common/refuse.h"

namespace cpu {

// The prefill of multi-head latent attention: on the rows of the call, with the log-sum-exp that merging needs.
class CpuMlaPrefill : public bkr::mla_prefill_backend {
 public:
  const char *name() const noexcept override { return "CPU_SDPA_MLA"; }

  void validate(const bkr::options &facts, bkr::reasons &against) override { kAbilities.check(facts, against); }

  void prefill(const bkr_mla_prefill_params &params, void *stream) override {
    expect_no_stream(stream);
    run(read_prefill(params), scratch_, bkr::threads(host()));
  }

  void merge(const bkr_mla_merge_params &params, void *stream) override {
    expect_no_stream(stream);
    run(read_merge(params), bkr::threads(host()));
  }

 private:
  static constexpr bkr::mla_prefill_abilities kAbilities = {.dtypes = {"float32", "float16", "bfloat16"}};

  Scratch scratch_;
};

}  // namespace cpu

#endif  // CPU_ATTN_MEMBERS_MLA_PREFILL_H
