// SPDX-License-Identifier: Apache-2.0
// All kinds of attention on the CPU, as one library. What each member is stands in members/: it checks the arguments
// of a call (arguments/), and has them computed by the one engine that all share (kernel/).
#include "members/cpu_attn.h"
#include "members/cpu_mla.h"
#include "members/mla_prefill.h"
#include "members/no_attention.h"

BKR_CREATE_FUNCTION(create_backend, cpu::CpuAttention)
BKR_CREATE_FUNCTION(create_cpu_mla, cpu::CpuMla)
BKR_CREATE_FUNCTION(create_no_attention, cpu::NoAttention)
BKR_CREATE_FUNCTION(create_mla_prefill, cpu::CpuMlaPrefill)

BKR_PLUGIN("org.backend-registry.cpu_attn", "1.0.0",
           BKR_BACKEND("attention", "CPU_ATTN", "vllm.v1.attention.backends.cpu_attn.CPUAttentionBackend",
                       create_backend, BKR_ATTENTION_1, CPU_PLUGIN_LEVEL, 0),
           BKR_BACKEND("attention", "CPU_MLA", "vllm.v1.attention.backends.mla.cpu_mla.CPUMLABackend", create_cpu_mla,
                       BKR_ATTENTION_1, CPU_PLUGIN_LEVEL, 0),
           BKR_BACKEND("attention", "NO_ATTENTION", "vllm.v1.attention.backends.no_attention.NoAttentionBackend",
                       create_no_attention, BKR_ATTENTION_1, CPU_PLUGIN_LEVEL, 0),
           BKR_BACKEND("mla_prefill", "CPU", "vllm.v1.attention.backends.mla.prefill.cpu_sdpa.CPUSDPAMLAPrefillBackend",
                       create_mla_prefill, BKR_MLA_PREFILL_1, CPU_PLUGIN_LEVEL, 0));
