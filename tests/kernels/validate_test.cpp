// SPDX-License-Identifier: Apache-2.0
// What the members say to an engine's facts, to the word.
#include "plugin_under_test.h"

namespace bkr::test {
namespace {

using Facts = std::vector<bkr_option>;
using Reasons = std::vector<std::string>;
using Validate = CpuAttn;

TEST_P(Validate, ServesWhatItCan) {
  EXPECT_EQ(reasons({}), Reasons{});
  for (const char *size : {"32", "64", "80", "96", "112", "128", "160", "192", "224", "256", "512"}) {
    EXPECT_EQ(reasons({{"head_size", size}, {"dtype", "bfloat16"}, {"block_size", "48"}}), Reasons{}) << size;
  }
  for (const char *type : {"decoder", "encoder", "encoder_only", "encoder_decoder"}) {
    EXPECT_EQ(reasons({{"attn_type", type}, {"kv_cache_dtype", "auto"}, {"use_mla", "0"}, {"has_sink", "1"}}),
              Reasons{});
  }
  EXPECT_EQ(reasons({{"has_sliding_window", "1"}, {"use_non_causal", "1"}, {"num_heads", "32"}}), Reasons{});
}

TEST_P(Validate, GivesEveryReasonInOrder) {
  const Facts facts = {{"use_dcp", "1"},
                       {"use_pcp", "1"},
                       {"use_batch_invariant", "1"},
                       {"attn_type", "sideways"},
                       {"use_per_head_quant_scales", "1"},
                       {"use_sparse", "1"},
                       {"use_mla", "1"},
                       {"use_mm_prefix", "1"},
                       {"block_size", "24"},
                       {"kv_cache_dtype", "fp8"},
                       {"dtype", "float64"},
                       {"head_size", "72"}};
  EXPECT_EQ(
      reasons(facts),
      (Reasons{"head_size not supported", "dtype not supported", "kv_cache_dtype not supported",
               "block_size not supported", "partial multimodal token full attention not supported", "MLA not supported",
               "sparse not supported", "per-head quant scales not supported", "attention type sideways not supported",
               "batch invariance not supported", "PCP not supported", "DCP not supported"}));
}

TEST_P(Validate, NamesFactsThatItDoesNotKnow) {
  EXPECT_EQ(reasons({{"use_teleport", "1"}, {"head_size", "64"}, {"use_mla", "maybe"}}),
            (Reasons{"unknown requirement use_teleport=1", "unknown requirement use_mla=maybe"}));
}

TEST_P(Validate, NumbersMustBeNumbers) {
  EXPECT_EQ(reasons({{"head_size", "64x"}, {"block_size", ""}}),
            (Reasons{"head_size not supported", "block_size not supported"}));
}

TEST_P(Validate, HasItsOwnName) { EXPECT_STREQ(bkr_backend_name(backend()), "CPU_ATTN"); }

BKR_WITH_EVERY_CPU_ATTN(Validate);

using ValidateLatent = CpuMla;

TEST_P(ValidateLatent, ServesDecodersOnLatentRows) {
  EXPECT_EQ(reasons({{"use_mla", "1"}, {"head_size", "576"}, {"dtype", "bfloat16"}, {"block_size", "16"}}), Reasons{});
  EXPECT_EQ(reasons({{"use_mla", "1"}, {"kv_cache_dtype", "auto"}, {"attn_type", "decoder"}, {"num_heads", "128"}}),
            Reasons{});
}

TEST_P(ValidateLatent, GivesEveryReasonInOrder) {
  const Facts facts = {
      {"use_dcp", "1"},         {"use_pcp", "1"},     {"has_sliding_window", "1"}, {"has_sink", "1"},
      {"attn_type", "encoder"}, {"use_sparse", "1"},  {"block_size", "24"},        {"kv_cache_dtype", "fp8"},
      {"dtype", "float64"},     {"head_size", "128"}, {"use_batch_invariant", "1"}};
  EXPECT_EQ(reasons(facts),
            (Reasons{"head_size not supported", "dtype not supported", "kv_cache_dtype not supported",
                     "block_size not supported", "non-MLA not supported", "attention sinks not supported",
                     "sparse not supported", "attention type encoder not supported", "sliding window not supported",
                     "batch invariance not supported", "PCP not supported", "DCP not supported"}));
}

TEST_P(ValidateLatent, HasItsOwnName) { EXPECT_STREQ(bkr_backend_name(backend()), "CPU_MLA"); }

BKR_WITH_EVERY_CPU_ATTN(ValidateLatent);

using ValidatePrefill = MlaPrefill;

TEST_P(ValidatePrefill, SaysWhatItServes) {
  EXPECT_EQ(reasons({{"dtype", "float16"}, {"is_r1_compatible", "0"}}), Reasons{});
  EXPECT_EQ(reasons({{"dtype", "float64"}, {"use_teleport", "1"}}),
            (Reasons{"dtype float64 not supported", "unknown requirement use_teleport=1"}));
}

TEST_P(ValidatePrefill, HasItsOwnName) { EXPECT_STREQ(bkr_backend_name(backend()), "CPU_SDPA_MLA"); }

BKR_WITH_EVERY_CPU_ATTN(ValidatePrefill);

}  // namespace
}  // namespace bkr::test
