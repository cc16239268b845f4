// SPDX-License-Identifier: Apache-2.0
// abilities.hpp: what a backend can do is data, and every reason against it comes to the word and in order.
#include "backend_registry/abilities.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using Facts = std::vector<bkr_option>;
using Reasons = std::vector<std::string>;

void BKR_CALL take(void *user, const char *reason) { static_cast<Reasons *>(user)->emplace_back(reason); }

template <class Abilities>
Reasons check(const Abilities &abilities, const Facts &facts) {
  Reasons taken;
  bkr::reasons against(&take, &taken);
  abilities.check(bkr::options(facts.data(), static_cast<uint32_t>(facts.size())), against);
  return taken;
}

constexpr bkr::attention_abilities full_abilities() {
  bkr::attention_abilities can;
  can.kv_cache_dtypes = {};
  can.attention_types = {};
  can.mla = can.sparse = bkr::support::yes;
  can.mm_prefix = can.sinks = can.per_head_quant_scales = can.sliding_window = can.non_causal = true;
  can.batch_invariance = can.kv_connector = can.pcp = can.dcp = true;
  return can;
}
constexpr bkr::attention_abilities everything = full_abilities();

constexpr bkr::attention_abilities few_abilities() {
  bkr::attention_abilities can;
  can.head_sizes = {64, 128};
  can.dtypes = {"float16", "bfloat16"};
  can.block_sizes = {16, 24};
  can.capabilities = {{8, 0}, {9, 0}};
  return can;
}
constexpr bkr::attention_abilities few = few_abilities();

const Facts whatever = {{"use_dcp", "1"},
                        {"use_pcp", "1"},
                        {"use_kv_connector", "1"},
                        {"use_batch_invariant", "1"},
                        {"use_non_causal", "1"},
                        {"has_sliding_window", "1"},
                        {"attn_type", "encoder_only"},
                        {"device_capability", "7.5"},
                        {"use_per_head_quant_scales", "1"},
                        {"use_sparse", "1"},
                        {"has_sink", "1"},
                        {"use_mla", "1"},
                        {"use_mm_prefix", "1"},
                        {"block_size", "20"},
                        {"kv_cache_dtype", "fp8"},
                        {"dtype", "float32"},
                        {"head_size", "72"},
                        {"num_heads", "32"}};

TEST(AttentionAbilities, give_every_reason_in_order) {
  EXPECT_EQ(
      check(few, whatever),
      (Reasons{"head_size not supported", "dtype not supported", "kv_cache_dtype not supported",
               "block_size not supported", "partial multimodal token full attention not supported", "MLA not supported",
               "attention sinks not supported", "sparse not supported", "per-head quant scales not supported",
               "compute capability not supported", "attention type encoder_only not supported",
               "sliding window not supported", "non-causal attention not supported", "batch invariance not supported",
               "KV connector not supported", "PCP not supported", "DCP not supported"}));
}

TEST(AttentionAbilities, know_all_facts_of_an_engine) { EXPECT_EQ(check(everything, whatever), Reasons{}); }

TEST(AttentionAbilities, are_not_asked_for_what_no_fact_says) { EXPECT_EQ(check(few, {}), Reasons{}); }

TEST(AttentionAbilities, an_empty_list_serves_any_value_but_not_a_size_that_is_no_number) {
  EXPECT_EQ(check(everything, {{"head_size", "7"}, {"block_size", "1"}, {"dtype", "float64"}}), Reasons{});
  for (const char *value : {"", "x", "64x", "-64", "0", " 64", "64.0", "99999999999999999999"}) {
    EXPECT_EQ(check(everything, {{"head_size", value}, {"block_size", value}}),
              (Reasons{"head_size not supported", "block_size not supported"}))
        << value;
  }
}

TEST(AttentionAbilities, a_list_holds_thirty_two_values) {
  using list = bkr::choices<std::int64_t>;
  EXPECT_TRUE((list{1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
                    17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32})
                  .contains(32));
  EXPECT_THROW((list{1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17,
                     18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33}),
               std::length_error);
}

TEST(AttentionAbilities, a_block_size_is_served_if_some_base_divides_it) {
  for (const char *size : {"16", "24", "32", "72"}) EXPECT_EQ(check(few, {{"block_size", size}}), Reasons{}) << size;
  for (const char *size : {"8", "20", "40"}) EXPECT_EQ(check(few, {{"block_size", size}}).size(), 1u) << size;
}

TEST(AttentionAbilities, of_one_kind_only_refuse_the_other_also_when_nobody_asked) {
  bkr::attention_abilities only = everything;
  only.mla = only.sparse = bkr::support::only;
  const Reasons neither = {"non-MLA not supported", "non-sparse not supported"};
  EXPECT_EQ(check(only, {}), neither);
  EXPECT_EQ(check(only, {{"use_mla", "0"}, {"use_sparse", "0"}}), neither);
  EXPECT_EQ(check(only, {{"use_mla", "1"}, {"use_sparse", "1"}}), Reasons{});
}

TEST(AttentionAbilities, stand_in_order_also_for_one_kind_only) {
  bkr::attention_abilities only;
  only.mla = only.sparse = bkr::support::only;
  EXPECT_EQ(
      check(only, {{"has_sink", "1"}, {"use_mm_prefix", "1"}, {"use_per_head_quant_scales", "1"}}),
      (Reasons{"partial multimodal token full attention not supported", "non-MLA not supported",
               "attention sinks not supported", "non-sparse not supported", "per-head quant scales not supported"}));
}

TEST(AttentionAbilities, attend_as_a_decoder_unless_asked_otherwise) {
  bkr::attention_abilities encoder;
  encoder.attention_types = {"encoder"};
  EXPECT_EQ(check(encoder, {}), Reasons{"attention type decoder not supported"});
  EXPECT_EQ(check(encoder, {{"attn_type", "encoder"}}), Reasons{});
}

TEST(AttentionAbilities, a_range_of_capabilities_has_both_ends) {
  for (const char *served : {"8.0", "8.9", "9.0"}) {
    EXPECT_EQ(check(few, {{"device_capability", served}}), Reasons{}) << served;
  }
  for (const char *other : {"7.9", "9.1", "10.0", "8", "8.", ".0", "8.0a", "", "-8.0"}) {
    EXPECT_EQ(check(few, {{"device_capability", other}}), Reasons{"compute capability not supported"}) << other;
  }
  EXPECT_EQ(check(bkr::attention_abilities(), {{"device_capability", "12.1"}}), Reasons{});
}

TEST(AttentionAbilities, name_facts_that_they_do_not_know_after_all_reasons) {
  EXPECT_EQ(check(few, {{"use_teleport", "1"}, {"use_mla", "maybe"}, {"head_size", "72"}, {"", ""}}),
            (Reasons{"head_size not supported", "unknown requirement use_teleport=1",
                     "unknown requirement use_mla=maybe", "unknown requirement ="}));
  EXPECT_EQ(check(everything, {{"has_sink", "2"}, {"use_dcp", "true"}}),
            (Reasons{"unknown requirement has_sink=2", "unknown requirement use_dcp=true"}));
}

TEST(AttentionAbilities, leave_facts_to_the_backend_that_says_it_checks_them) {
  bkr::attention_abilities own = everything;
  own.own_facts = {"use_teleport"};
  EXPECT_EQ(check(own, {{"use_teleport", "1"}, {"use_wormhole", "1"}}), Reasons{"unknown requirement use_wormhole=1"});
}

TEST(AttentionAbilities, the_last_of_two_equal_keys_counts) {
  const char *same = "1";
  EXPECT_EQ(check(few, {{"head_size", "72"}, {"head_size", "64"}}), Reasons{});
  EXPECT_EQ(check(few, {{"has_sink", "maybe"}, {"has_sink", "0"}}), Reasons{});
  EXPECT_EQ(check(few, {{"use_teleport", same}, {"use_teleport", same}}),
            Reasons{"unknown requirement use_teleport=1"});
}

bool nothing_is_there() noexcept { return false; }

TEST(MlaPrefillAbilities, give_every_reason_in_order) {
  bkr::mla_prefill_abilities can;
  can.dtypes = {"bfloat16"};
  can.needs_r1_dimensions = true;
  can.capabilities = {{10, 0}, {10, 9}};
  can.dependencies = nothing_is_there;
  EXPECT_EQ(
      check(can,
            {{"is_r1_compatible", "0"}, {"use_teleport", "1"}, {"dtype", "float16"}, {"device_capability", "9.0"}}),
      (Reasons{"compute capability 9.0 not supported", "dtype float16 not supported",
               "required dependencies not available",
               "model does not have DeepSeek R1 MLA dimensions (qk_nope_head_dim=128, qk_rope_head_dim=64, "
               "v_head_dim=128)",
               "unknown requirement use_teleport=1"}));
  can.dependencies = nullptr;
  EXPECT_EQ(check(can, {}), Reasons{});
  EXPECT_EQ(check(can, {{"is_r1_compatible", "1"}, {"dtype", "bfloat16"}, {"device_capability", "10.3"}}), Reasons{});
  EXPECT_EQ(check(can, {{"is_r1_compatible", "yes"}}), Reasons{"unknown requirement is_r1_compatible=yes"});
}

TEST(MlaPrefillAbilities, serve_any_dimensions_unless_they_need_some) {
  EXPECT_EQ(check(bkr::mla_prefill_abilities(), {{"is_r1_compatible", "0"}, {"dtype", "float32"}}), Reasons{});
}

TEST(MambaAbilities, give_every_reason_in_order) {
  bkr::mamba_abilities can;
  can.mamba_types = {"MAMBA2"};
  can.dtypes = {"float32", "bfloat16"};
  can.state_dtypes = {"float32"};
  EXPECT_EQ(check(can, {{"head_size", "64"}, {"state_dtype", "fp8"}, {"dtype", "float64"}, {"mamba_type", "GDN_ATTN"}}),
            (Reasons{"mamba type GDN_ATTN not supported", "dtype not supported", "state_dtype not supported",
                     "unknown requirement head_size=64"}));
  EXPECT_EQ(check(can, {{"mamba_type", "MAMBA2"}, {"dtype", "bfloat16"}, {"state_dtype", "float32"}}), Reasons{});
  EXPECT_EQ(check(can, {}), Reasons{});
}

}  // namespace
