// SPDX-License-Identifier: Apache-2.0
#include "validate.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

namespace cpu {
namespace {

constexpr int64_t kHeadSizes[] = {32, 64, 80, 96, 112, 128, 160, 192, 224, 256, 512};
constexpr int64_t kBlockSizeBase = 16;
constexpr std::string_view kTypes[] = {"float32", "float16", "bfloat16"};
constexpr std::string_view kCacheTypes[] = {"auto", "float32", "float16", "bfloat16"};
constexpr std::string_view kAttentionTypes[] = {"decoder", "encoder", "encoder_only", "encoder_decoder"};

// What a yes to a fact means for this backend: a reason, or nothing if it is served.
struct Flag {
  std::string_view key;
  std::string_view reason;
};
constexpr Flag kFlags[] = {
    {"use_mm_prefix", "partial multimodal token full attention not supported"},
    {"use_mla", "MLA not supported"},
    {"has_sink", ""},
    {"use_sparse", "sparse not supported"},
    {"use_per_head_quant_scales", "per-head quant scales not supported"},
};
constexpr Flag kLaterFlags[] = {
    {"has_sliding_window", ""},
    {"use_non_causal", ""},
    {"use_batch_invariant", "batch invariance not supported"},
    {"use_kv_connector", ""},
    {"use_pcp", "PCP not supported"},
    {"use_dcp", "DCP not supported"},
};
// Known, and no obstacle: there is no such thing on a CPU, and any number of heads is served.
constexpr std::string_view kIndifferent[] = {"device_capability", "num_heads"};

bool contains(const auto &list, const auto &item) { return std::ranges::find(list, item) != std::end(list); }

int64_t number(std::string_view text) {
  int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? value : -1;
}

class Validation {
 public:
  Validation(const bkr::options &facts, bkr::reasons &against) : facts_(facts), against_(against) {}

  void run() {
    check("head_size", "head_size not supported", [](auto v) { return contains(kHeadSizes, number(v)); });
    check("dtype", "dtype not supported", [](auto v) { return contains(kTypes, v); });
    check("kv_cache_dtype", "kv_cache_dtype not supported", [](auto v) { return contains(kCacheTypes, v); });
    check("block_size", "block_size not supported",
          [](auto v) { return number(v) > 0 && number(v) % kBlockSizeBase == 0; });
    for (const Flag &flag : kFlags) check_flag(flag);
    const std::string_view type = facts_.find("attn_type").value_or("decoder");
    if (!contains(kAttentionTypes, type)) against_.add("attention type " + std::string(type) + " not supported");
    for (const Flag &flag : kLaterFlags) check_flag(flag);
    for (const bkr_option &fact : facts_) {
      if (!known(fact)) against_.add_unknown(fact);
    }
  }

 private:
  template <class Fn>
  void check(std::string_view key, const char *reason, Fn &&served) {
    const auto value = facts_.find(key);
    if (value && !served(*value)) against_.add(reason);
  }

  void check_flag(const Flag &flag) {
    if (facts_.find(flag.key) == "1" && !flag.reason.empty()) against_.add(std::string(flag.reason));
  }

  static bool known(const bkr_option &fact) {
    constexpr std::string_view kValued[] = {"head_size", "dtype", "kv_cache_dtype", "block_size", "attn_type"};
    const std::string_view key = fact.key;
    const std::string_view value = fact.value;
    if (contains(kValued, key) || contains(kIndifferent, key)) return true;
    const auto is_flag = [&](const Flag &flag) { return flag.key == key; };
    const bool flag = std::ranges::any_of(kFlags, is_flag) || std::ranges::any_of(kLaterFlags, is_flag);
    return flag && (value == "0" || value == "1");
  }

  const bkr::options &facts_;
  bkr::reasons &against_;
};

}  // namespace

void validate(const bkr::options &facts, bkr::reasons &against) { Validation(facts, against).run(); }

}  // namespace cpu
