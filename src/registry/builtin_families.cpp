// SPDX-License-Identifier: Apache-2.0
#include "registry/builtin_families.h"

namespace bkr::core {

namespace {

constexpr BuiltinMember kAttention[] = {
    {"FLASH_ATTN", "vllm.v1.attention.backends.flash_attn.FlashAttentionBackend"},
    {"FLASH_ATTN_DIFFKV", "vllm.v1.attention.backends.flash_attn_diffkv.FlashAttentionDiffKVBackend"},
    {"TRITON_ATTN", "vllm.v1.attention.backends.triton_attn.TritonAttentionBackend"},
    {"TRITON_ATTN_DIFFKV", "vllm.v1.attention.backends.triton_attn_diffkv.TritonAttentionDiffKVBackend"},
    {"TRITON_FLASH_ATTN", "vllm.v1.attention.backends.triton_flash_attn.TritonFlashAttentionBackend"},
    {"ROCM_ATTN", "vllm.v1.attention.backends.rocm_attn.RocmAttentionBackend"},
    {"ROCM_SEGMENTED_ATTN", "vllm.v1.attention.backends.rocm_segmented_attn.RocmSegmentedAttentionBackend"},
    {"ROCM_AITER_MLA", "vllm.v1.attention.backends.mla.rocm_aiter_mla.AiterMLABackend"},
    {"ROCM_AITER_TRITON_MLA", "vllm.v1.attention.backends.mla.aiter_triton_mla.AiterTritonMLABackend"},
    {"ROCM_AITER_FA", "vllm.v1.attention.backends.rocm_aiter_fa.AiterFlashAttentionBackend"},
    {"ROCM_AITER_MLA_SPARSE", "vllm.v1.attention.backends.mla.rocm_aiter_mla_sparse.ROCMAiterMLASparseBackend"},
    {"XPU_MLA_SPARSE", "vllm.v1.attention.backends.mla.xpu_mla_sparse.XPUMLASparseBackend"},
    {"TORCH_SDPA", ""},
    {"FLASHINFER", "vllm.v1.attention.backends.flashinfer.FlashInferBackend"},
    {"TRITON_FLASHINFER", "vllm.v1.attention.backends.triton_flashinfer.TritonFlashInferBackend"},
    {"FLASHINFER_MLA", "vllm.v1.attention.backends.mla.flashinfer_mla.FlashInferMLABackend"},
    {"TOKENSPEED_MLA", "vllm.v1.attention.backends.mla.tokenspeed_mla.TokenspeedMLABackend"},
    {"FLASHINFER_MLA_SPARSE", "vllm.v1.attention.backends.mla.flashinfer_mla_sparse.FlashInferMLASparseTRTLLMBackend"},
    {"FLASHINFER_MLA_SPARSE_SM120",
     "vllm.v1.attention.backends.mla.flashinfer_mla_sparse.FlashInferMLASparseSM120Backend"},
    {"FLASHINFER_MLA_SPARSE_SM90",
     "vllm.v1.attention.backends.mla.flashinfer_mla_sparse_sm90.FlashInferMLASparseSM90Backend"},
    {"TRITON_MLA", "vllm.v1.attention.backends.mla.triton_mla.TritonMLABackend"},
    {"CUTLASS_MLA", "vllm.v1.attention.backends.mla.cutlass_mla.CutlassMLABackend"},
    {"FLASHMLA", "vllm.v1.attention.backends.mla.flashmla.FlashMLABackend"},
    {"FLASHMLA_SPARSE", "vllm.v1.attention.backends.mla.flashmla_sparse.FlashMLASparseBackend"},
    {"FLASHMLA_SPARSE_DSV4", "vllm.models.deepseek_v4.sparse_mla.DeepseekV4FlashMLABackend"},
    {"FLASHINFER_MLA_SPARSE_DSV4",
     "vllm.models.deepseek_v4.nvidia.flashinfer_sparse.DeepseekV4FlashInferMLASparseBackend"},
    {"ROCM_FLASHMLA_SPARSE_DSV4", "vllm.models.deepseek_v4.amd.rocm.DeepseekV4ROCMAiterMLASparseBackend"},
    {"FLASHMLA_SPARSE_DSV41", "vllm.models.deepseek_v41.sparse_mla.DeepseekV4FlashMLABackend"},
    {"FLASHINFER_MLA_SPARSE_DSV41",
     "vllm.models.deepseek_v41.nvidia.flashinfer_sparse.DeepseekV4FlashInferMLASparseBackend"},
    {"FLASHMLA_MEGA_ATTN_DSV41", "vllm.models.deepseek_v41.sparse_mla.FlashMLAMegaAttnBackend"},
    {"B12X", "vllm.v1.attention.backends.b12x.B12xPagedAttentionBackend"},
    {"FLASH_ATTN_MLA", "vllm.v1.attention.backends.mla.flashattn_mla.FlashAttnMLABackend"},
    {"FLASH_ATTN_MLA_SPARSE", "vllm.v1.attention.backends.mla.flashattn_mla_sparse.FlashAttnMLASparseBackend"},
    {"MINIMAX_M3_SPARSE", "vllm.models.minimax_m3.common.sparse_attention.MiniMaxM3SparseBackend"},
    {"CUTLASS_MSA", "vllm.models.minimax_m3.nvidia.sparse_attention_msa.MiniMaxM3SparseCutlassBackend"},
    {"TRITON_MSA", "vllm.models.minimax_m3.nvidia.sparse_attention_msa.MiniMaxM3SparseTritonBackend"},
    {"NO_ATTENTION", "vllm.v1.attention.backends.no_attention.NoAttentionBackend"},
    {"FLEX_ATTENTION", "vllm.v1.attention.backends.flex_attention.FlexAttentionBackend"},
    {"HPC_ATTN", "vllm.v1.attention.backends.hpc_attn.HpcAttentionBackend"},
    {"ROCM_AITER_UNIFIED_ATTN", "vllm.v1.attention.backends.rocm_aiter_unified_attn.RocmAiterUnifiedAttentionBackend"},
    {"CPU_ATTN", "vllm.v1.attention.backends.cpu_attn.CPUAttentionBackend"},
    {"CPU_MLA", "vllm.v1.attention.backends.mla.cpu_mla.CPUMLABackend"},
    {"AMX_MLA", "vllm.v1.attention.backends.mla.amx_mla.AMXMLABackend"},
    {"TURBOQUANT", "vllm.v1.attention.backends.turboquant_attn.TurboQuantAttentionBackend"},
    {"ULTRAQUANT", "vllm.v1.attention.backends.ultraquant_attn.UltraQuantAttentionBackend"},
    {"CUSTOM", nullptr},
};

constexpr BuiltinMember kMamba[] = {
    {"MAMBA1", "vllm.v1.attention.backends.mamba1_attn.Mamba1AttentionBackend"},
    {"MAMBA2", "vllm.v1.attention.backends.mamba2_attn.Mamba2AttentionBackend"},
    {"SHORT_CONV", "vllm.v1.attention.backends.short_conv_attn.ShortConvAttentionBackend"},
    {"LINEAR", "vllm.v1.attention.backends.linear_attn.LinearAttentionBackend"},
    {"GDN_ATTN", "vllm.v1.attention.backends.gdn_attn.GDNAttentionBackend"},
    {"CUSTOM", nullptr},
};

constexpr BuiltinMember kMlaPrefill[] = {
    {"FLASH_ATTN", "vllm.v1.attention.backends.mla.prefill.flash_attn.FlashAttnPrefillBackend"},
    {"FLASHINFER", "vllm.v1.attention.backends.mla.prefill.flashinfer.FlashInferPrefillBackend"},
    {"TRTLLM_RAGGED", "vllm.v1.attention.backends.mla.prefill.trtllm_ragged.TrtllmRaggedPrefillBackend"},
    {"TOKENSPEED_MLA", "vllm.v1.attention.backends.mla.prefill.tokenspeed_mla.TokenspeedMLAPrefillBackend"},
    {"ROCM_AITER_FA", "vllm.v1.attention.backends.mla.prefill.aiter_flash_attn.AiterFlashAttnPrefillBackend"},
    {"CPU", "vllm.v1.attention.backends.mla.prefill.cpu_sdpa.CPUSDPAMLAPrefillBackend"},
    {"ZEN_CPU", "vllm.v1.attention.backends.mla.prefill.zen_cpu_sdpa.ZenCPUSDPAMLAPrefillBackend"},
    {"CUSTOM", nullptr},
};

// The mamba family calls its members attention backends too, as the system that these names come from does.
constexpr BuiltinFamily kFamilies[] = {
    {"attention", "attention backend", "AttentionBackendEnum", "Backend", kAttention},
    {"mamba", "attention backend", "MambaAttentionBackendEnum", "Backend", kMamba},
    {"mla_prefill", "MLA prefill backend", "MLAPrefillBackendEnum", "MLA prefill backend", kMlaPrefill},
};

}  // namespace

std::span<const BuiltinFamily> builtin_families() noexcept { return kFamilies; }

}  // namespace bkr::core
