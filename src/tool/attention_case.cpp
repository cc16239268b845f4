// SPDX-License-Identifier: Apache-2.0
#include "attention_case.h"

#include <backend_registry/registry.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

namespace bkr::tool {
namespace {

using nlohmann::json;

constexpr std::string_view kParams[] = {"scale",     "causal",     "window_left",    "window_right",
                                        "softcap",   "attn_type",  "kv_cache_dtype", "value_head_size",
                                        "key_scale", "value_scale"};
constexpr std::string_view kTensors[] = {
    "query",    "key",         "value",        "kv_cache", "slot_mapping", "query_start_loc",
    "seq_lens", "block_table", "alibi_slopes", "sinks",    "out"};

template <class List>
void expect_known(const List &known, const std::string &name, const char *kind) {
  if (std::find(std::begin(known), std::end(known), name) != std::end(known)) return;
  std::string list;
  for (const std::string_view item : known) list += (list.empty() ? "" : ", ") + std::string(item);
  throw CaseError(std::string(kind) + "." + name + " is not known in " + BKR_ATTENTION_1 + "; known: " + list);
}

// One of some words, by its number.
int32_t read_word(const json &value, const char *name, std::initializer_list<std::string_view> words) {
  int32_t number = 0;
  std::string list;
  for (const std::string_view word : words) {
    if (value == word) return number;
    ++number;
    list += (list.empty() ? "" : ", ") + std::string(word);
  }
  throw CaseError("params." + std::string(name) + " is " + value.dump() + "; it must be one of " + list);
}

class Params {
 public:
  explicit Params(const json &params) : params_(params) {}

  double number(const char *name, double otherwise) const {
    const auto found = params_.find(name);
    if (found == params_.end()) return otherwise;
    if (!found->is_number()) throw CaseError("params." + std::string(name) + " is " + found->dump() + ", no number");
    return found->get<double>();
  }

  int32_t whole(const char *name, int32_t otherwise) const {
    const auto found = params_.find(name);
    if (found == params_.end()) return otherwise;
    const bool fits = found->is_number_integer() && found->get<int64_t>() >= std::numeric_limits<int32_t>::min() &&
                      found->get<int64_t>() <= std::numeric_limits<int32_t>::max();
    if (!fits) throw CaseError("params." + std::string(name) + " is " + found->dump() + ", no whole number of 32 bits");
    return found->get<int32_t>();
  }

  bool yes(const char *name, bool otherwise) const {
    const auto found = params_.find(name);
    if (found == params_.end()) return otherwise;
    if (!found->is_boolean()) {
      throw CaseError("params." + std::string(name) + " is " + found->dump() + "; it must be true or false");
    }
    return found->get<bool>();
  }

  int32_t word(const char *name, std::initializer_list<std::string_view> words) const {
    const auto found = params_.find(name);
    return found == params_.end() ? 0 : read_word(*found, name, words);
  }

  bool has(const char *name) const { return params_.contains(name); }

 private:
  const json &params_;
};

int32_t cache_type(const Params &params) { return params.word("kv_cache_dtype", {"auto", "fp8_e4m3", "fp8_e5m2"}); }

bkr_attention_forward_params read_forward(const Params &params) {
  if (!params.has("scale")) throw CaseError("params has no \"scale\"");
  bkr_attention_forward_params forward = BKR_ATTENTION_FORWARD_INIT;
  forward.attn_type = params.word("attn_type", {"decoder", "encoder", "encoder_only", "encoder_decoder"});
  forward.causal = params.yes("causal", forward.attn_type == BKR_ATTN_DECODER) ? 1 : 0;
  forward.window_left = params.whole("window_left", forward.window_left);
  forward.window_right = params.whole("window_right", forward.window_right);
  forward.scale = params.number("scale", 0);
  forward.softcap = params.number("softcap", forward.softcap);
  forward.kv_cache_dtype = cache_type(params);
  forward.value_head_size = params.whole("value_head_size", 0);
  forward.key_scale = params.number("key_scale", 0);
  forward.value_scale = params.number("value_scale", 0);
  return forward;
}

void expect_ok(const char *call, bkr_status status, const char *text) {
  if (status != BKR_OK) throw CaseError(std::string(call) + ": " + bkr_status_name(status) + ": " + text);
}

// The tensors of a case while it runs, and a DLTensor for each.
class Tensors {
 public:
  explicit Tensors(const CaseTensors &tensors) : tensors_(tensors) {
    for (auto &[name, tensor] : tensors_) views_.emplace(name, tensor.view());
  }

  bool has(const char *name) const { return tensors_.contains(name); }
  CaseTensor &at(const char *name) { return tensors_.at(name); }
  // NULL for a tensor that the case does not have: whether it may be missing, the backend knows.
  const DLTensor *view(const char *name) const {
    const auto found = views_.find(name);
    return found == views_.end() ? nullptr : &found->second;
  }
  void add(const char *name, CaseTensor tensor) {
    const auto added = tensors_.insert_or_assign(name, std::move(tensor)).first;
    views_.insert_or_assign(name, added->second.view());
  }

 private:
  CaseTensors tensors_;
  std::map<std::string, DLTensor> views_;
};

// An `out` for the case, of NaN so that what is not written is seen. The shape is the expected one's, or query's.
CaseTensor make_out(const Case &recorded, const CaseTensor &query) {
  const auto expected = recorded.expected.find("out");
  CaseTensor out(query.type(), expected == recorded.expected.end() ? query.shape() : expected->second.shape());
  for (int64_t i = 0; i < out.count(); ++i) out.set_number(i, std::numeric_limits<double>::quiet_NaN());
  return out;
}

}  // namespace

CaseTensors run_attention_case(bkr_backend *backend, const void *table, const Case &recorded) {
  for (const auto &[name, value] : recorded.params.items()) expect_known(kParams, name, "params");
  for (const auto &[name, value] : recorded.tensors) expect_known(kTensors, name, "tensors");
  const bkr_attention_1 &attention = *static_cast<const bkr_attention_1 *>(table);
  const Params params(recorded.params);
  Tensors tensors(recorded.tensors);
  char text[2048] = "";
  bkr_error error = BKR_ERROR_INIT(text);

  if (tensors.has("slot_mapping")) {
    bkr_attention_write_kv_params write{};
    write.struct_size = sizeof write;
    write.key = tensors.view("key");
    write.value = tensors.view("value");
    write.kv_cache = tensors.view("kv_cache");
    write.slot_mapping = tensors.view("slot_mapping");
    write.kv_cache_dtype = cache_type(params);
    write.key_scale = params.number("key_scale", 0);
    write.value_scale = params.number("value_scale", 0);
    expect_ok("write_kv", attention.write_kv(backend, &write, nullptr, &error), text);
  }
  CaseTensors results;
  if (tensors.has("query")) {
    if (!tensors.has("out")) tensors.add("out", make_out(recorded, tensors.at("query")));
    bkr_attention_forward_params forward = read_forward(params);
    forward.query = tensors.view("query");
    forward.key = tensors.view("key");
    forward.value = tensors.view("value");
    forward.kv_cache = tensors.view("kv_cache");
    forward.query_start_loc = tensors.view("query_start_loc");
    forward.seq_lens = tensors.view("seq_lens");
    forward.block_table = tensors.view("block_table");
    forward.alibi_slopes = tensors.view("alibi_slopes");
    forward.sinks = tensors.view("sinks");
    forward.out = tensors.view("out");
    expect_ok("forward", attention.forward(backend, &forward, nullptr, &error), text);
    results.emplace("out", tensors.at("out"));
  }
  if (tensors.has("kv_cache")) results.emplace("kv_cache", tensors.at("kv_cache"));
  return results;
}

}  // namespace bkr::tool
