// SPDX-License-Identifier: Apache-2.0
#ifndef BACKEND_REGISTRY_ABILITIES_HPP
#define BACKEND_REGISTRY_ABILITIES_HPP

// What a backend can do, as data: an engine asks with facts, and a backend answers with every reason why it cannot
// serve them, in the words and the order that engines know. Authors say what they serve; plugin.hpp includes this.
//
//     static constexpr bkr::attention_abilities abilities() {
//       bkr::attention_abilities can;
//       can.head_sizes = {64, 128};
//       can.dtypes = {"float16", "bfloat16"};
//       can.block_sizes = {16};
//       can.sinks = true;
//       return can;
//     }
//     void validate(const bkr::options &facts, bkr::reasons &against) override { abilities().check(facts, against); }
//
// In C++20 also `static constexpr bkr::attention_abilities abilities = {.head_sizes = {64, 128}, …};`.
//
// A fact that is not there was not asked for, and costs no reason; where an engine has a default (a decoder, without
// MLA, not sparse, each flag 0) that default is asked for. Of a key that comes twice the last one counts. A fact that
// is not listed here, and a flag that is neither 0 nor 1, is `unknown requirement KEY=VALUE`, after all other reasons:
// a backend cannot promise what it does not know. A backend that knows further facts names them in own_facts and
// checks them itself; what it has to say of a combination it adds after check(), so that it stands last.
//
// Reasons are copied before add() returns. check() is for any thread; it throws what reasons::add throws
// (std::bad_alloc).

#include "detail/fact_check.hpp"

namespace bkr {

// How a backend stands to a kind of work that is either asked for or not.
enum class support {
  no,    // serves only what does not ask for it
  yes,   // serves both
  only,  // serves nothing else
};

// Compute capabilities of a GPU, both ends included: {{8, 0}, {9, 0}} serves 8.0, 8.6 and 9.0. By itself any, for a
// backend that needs no GPU.
struct capability_range {
  struct version {
    std::int32_t major_number = 0;
    std::int32_t minor_number = 0;
  };
  version least = {};
  version most = {999, 999};

  // Text is "major.minor"; where there is a limit, anything else is not served.
  bool serves(std::string_view text) const noexcept {
    const std::int64_t first = number(least);
    const std::int64_t last = number(most);
    if (first == 0 && last == number({999, 999})) return true;
    const std::int64_t asked = detail::capability_of(text);
    return asked >= first && asked <= last;
  }

 private:
  static constexpr std::int64_t number(const version &v) noexcept {
    return std::int64_t{v.major_number} * 1000 + v.minor_number;
  }
};

// Family attention. Facts: head_size, dtype, kv_cache_dtype, block_size, use_mla, has_sink, use_sparse, use_mm_prefix,
// use_per_head_quant_scales, attn_type, has_sliding_window, use_non_causal, use_batch_invariant, use_kv_connector,
// use_pcp, use_dcp, device_capability, num_heads (which only an engine's priorities look at).
struct attention_abilities {
  choices<std::int64_t> head_sizes = {};                    // empty: any
  choices<std::string_view> dtypes = {};                    // empty: any
  choices<std::string_view> kv_cache_dtypes = {"auto"};     // empty: any
  choices<std::int64_t> block_sizes = {};                   // and every multiple of one; empty: any
  choices<std::string_view> attention_types = {"decoder"};  // empty: any
  support mla = support::no;                                // asked for by use_mla
  support sparse = support::no;                             // use_sparse
  bool mm_prefix = false;                                   // use_mm_prefix
  bool sinks = false;                                       // has_sink
  bool per_head_quant_scales = false;                       // use_per_head_quant_scales
  bool sliding_window = false;                              // has_sliding_window
  bool non_causal = false;                                  // use_non_causal
  bool batch_invariance = false;                            // use_batch_invariant
  bool kv_connector = false;                                // use_kv_connector
  bool pcp = false;                                         // use_pcp
  bool dcp = false;                                         // use_dcp
  capability_range capabilities = {};                       // device_capability
  choices<std::string_view> own_facts = {};                 // checked by the backend itself

  void check(const options &facts, reasons &against) const;
};

// Family mla_prefill. Facts: dtype, is_r1_compatible, device_capability.
struct mla_prefill_abilities {
  choices<std::string_view> dtypes = {};      // empty: any
  bool needs_r1_dimensions = false;           // serves only is_r1_compatible=1: qk_nope 128, qk_rope 64, v 128
  capability_range capabilities = {};         // of device_capability
  bool (*dependencies)() noexcept = nullptr;  // whether what it needs besides is there; NULL: it needs nothing
  choices<std::string_view> own_facts = {};   // checked by the backend itself

  void check(const options &facts, reasons &against) const;
};

// Family mamba. Facts: mamba_type (the member's name, e.g. "MAMBA2"), dtype (of the activations), state_dtype (of the
// recurrent state, which engines keep in float32 beside bfloat16 activations, or in dtype to save memory).
// Reasons, in this order: `mamba type X not supported`, `dtype not supported`, `state_dtype not supported`.
struct mamba_abilities {
  choices<std::string_view> mamba_types = {};   // empty: any
  choices<std::string_view> dtypes = {};        // empty: any
  choices<std::string_view> state_dtypes = {};  // empty: any
  choices<std::string_view> own_facts = {};     // checked by the backend itself

  void check(const options &facts, reasons &against) const;
};

inline void attention_abilities::check(const options &facts, reasons &against) const {
  detail::fact_check asked(facts, against, own_facts);
  const auto require_count = [&](std::string_view key, std::string_view reason, auto &&serves) {
    const std::optional<std::string_view> text = asked.value(key);
    const std::int64_t count = text ? detail::count_of(*text) : 0;
    asked.require(!text || (count > 0 && serves(count)), reason);
  };
  const auto require_kind = [&](std::string_view key, support ability, std::string_view with,
                                std::string_view without) {
    const std::optional<bool> wanted = asked.flag(key, false);
    asked.require(ability != support::no || wanted != true, with);
    asked.require(ability != support::only || wanted != false, without);
  };
  require_count("head_size", "head_size not supported", [&](std::int64_t size) { return head_sizes.serves(size); });
  asked.require_choice("dtype", dtypes, "dtype not supported");
  asked.require_choice("kv_cache_dtype", kv_cache_dtypes, "kv_cache_dtype not supported");
  require_count("block_size", "block_size not supported", [&](std::int64_t size) {
    for (const std::int64_t base : block_sizes) {
      if (base > 0 && size % base == 0) return true;
    }
    return block_sizes.empty();
  });
  asked.require_flag("use_mm_prefix", mm_prefix, "partial multimodal token full attention not supported");
  require_kind("use_mla", mla, "MLA not supported", "non-MLA not supported");
  asked.require_flag("has_sink", sinks, "attention sinks not supported");
  require_kind("use_sparse", sparse, "sparse not supported", "non-sparse not supported");
  asked.require_flag("use_per_head_quant_scales", per_head_quant_scales, "per-head quant scales not supported");
  const std::optional<std::string_view> capability = asked.value("device_capability");
  asked.require(!capability || capabilities.serves(*capability), "compute capability not supported");
  const std::string type(asked.value("attn_type").value_or("decoder"));
  asked.require(attention_types.serves(type), "attention type " + type + " not supported");
  asked.require_flag("has_sliding_window", sliding_window, "sliding window not supported");
  asked.require_flag("use_non_causal", non_causal, "non-causal attention not supported");
  asked.require_flag("use_batch_invariant", batch_invariance, "batch invariance not supported");
  asked.require_flag("use_kv_connector", kv_connector, "KV connector not supported");
  asked.require_flag("use_pcp", pcp, "PCP not supported");
  asked.require_flag("use_dcp", dcp, "DCP not supported");
  asked.value("num_heads");
  asked.refuse_unknown();
}

inline void mla_prefill_abilities::check(const options &facts, reasons &against) const {
  detail::fact_check asked(facts, against, own_facts);
  if (const auto capability = asked.value("device_capability")) {
    asked.require(capabilities.serves(*capability),
                  "compute capability " + std::string(*capability) + " not supported");
  }
  if (const auto dtype = asked.value("dtype")) {
    asked.require(dtypes.serves(*dtype), "dtype " + std::string(*dtype) + " not supported");
  }
  asked.require(dependencies == nullptr || dependencies(), "required dependencies not available");
  const std::optional<bool> r1_compatible = asked.flag("is_r1_compatible", true);
  asked.require(!needs_r1_dimensions || r1_compatible != false,
                "model does not have DeepSeek R1 MLA dimensions (qk_nope_head_dim=128, qk_rope_head_dim=64, "
                "v_head_dim=128)");
  asked.refuse_unknown();
}

inline void mamba_abilities::check(const options &facts, reasons &against) const {
  detail::fact_check asked(facts, against, own_facts);
  if (const auto type = asked.value("mamba_type")) {
    asked.require(mamba_types.serves(*type), "mamba type " + std::string(*type) + " not supported");
  }
  asked.require_choice("dtype", dtypes, "dtype not supported");
  asked.require_choice("state_dtype", state_dtypes, "state_dtype not supported");
  asked.refuse_unknown();
}

}  // namespace bkr

#endif  // BACKEND_REGISTRY_ABILITIES_HPP
