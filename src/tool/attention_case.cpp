// SPDX-License-Identifier: Apache-2.0
#include "attention_case.h"

#include <string_view>

#include "case_params.h"
#include "running_tensors.h"

namespace bkr::tool {
namespace {

constexpr std::string_view kParams[] = {"scale",     "causal",     "window_left",    "window_right",
                                        "softcap",   "attn_type",  "kv_cache_dtype", "value_head_size",
                                        "key_scale", "value_scale"};
constexpr std::string_view kTensors[] = {
    "query",    "key",         "value",        "kv_cache", "slot_mapping", "query_start_loc",
    "seq_lens", "block_table", "alibi_slopes", "sinks",    "out"};
constexpr CaseNames kNames = {BKR_ATTENTION_1, kParams, kTensors};

int32_t cache_type(const CaseParams &params) { return params.word("kv_cache_dtype", {"auto", "fp8_e4m3", "fp8_e5m2"}); }

bkr_attention_forward_params read_forward(const CaseParams &params) {
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

}  // namespace

CaseTensors run_attention_case(bkr_backend *backend, const void *table, const Case &recorded) {
  expect_known(recorded, kNames);
  const bkr_attention_1 &attention = *static_cast<const bkr_attention_1 *>(table);
  const CaseParams params(recorded.params);
  RunningTensors tensors(recorded.tensors);
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
    tensors.add_result("out", recorded.expected, tensors.at("query"));
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
