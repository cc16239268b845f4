// SPDX-License-Identifier: Apache-2.0
#include "mla_prefill_case.h"

#include <string_view>

#include "case_params.h"
#include "running_tensors.h"

namespace bkr::tool {
namespace {

constexpr std::string_view kParams[] = {"function", "scale", "causal"};
constexpr std::string_view kTensors[] = {"query", "key",   "value", "query_start_loc", "key_start_loc", "out",
                                         "lse",   "out_a", "lse_a", "out_b",           "lse_b"};
constexpr CaseNames kNames = {BKR_MLA_PREFILL_1, kParams, kTensors};

// What is written: `out` like `rows`, which is [T, H, size], and `lse` [H, T].
void add_results(const Case &recorded, const char *rows_name, RunningTensors &tensors) {
  if (!tensors.has(rows_name)) throw CaseError("tensors has no \"" + std::string(rows_name) + "\"");
  const CaseTensor rows = tensors.at(rows_name);
  if (rows.shape().size() != 3) throw CaseError("tensors." + std::string(rows_name) + " must have 3 dimensions");
  tensors.add_result("out", recorded.expected, rows);
  tensors.add_result("lse", {}, CaseTensor(*find_number_type("float32"), {rows.shape()[1], rows.shape()[0]}));
}

bkr_mla_prefill_params read_prefill(const CaseParams &params, const RunningTensors &tensors) {
  if (!params.has("scale")) throw CaseError("params has no \"scale\"");
  bkr_mla_prefill_params prefill{};
  prefill.struct_size = sizeof prefill;
  prefill.causal = params.yes("causal", false) ? 1 : 0;
  prefill.scale = params.number("scale", 0);
  prefill.query = tensors.view("query");
  prefill.key = tensors.view("key");
  prefill.value = tensors.view("value");
  prefill.query_start_loc = tensors.view("query_start_loc");
  prefill.key_start_loc = tensors.view("key_start_loc");
  prefill.out = tensors.view("out");
  prefill.lse = tensors.view("lse");
  return prefill;
}

bkr_mla_merge_params read_merge(const RunningTensors &tensors) {
  bkr_mla_merge_params merge{};
  merge.struct_size = sizeof merge;
  merge.out_a = tensors.view("out_a");
  merge.lse_a = tensors.view("lse_a");
  merge.out_b = tensors.view("out_b");
  merge.lse_b = tensors.view("lse_b");
  merge.out = tensors.view("out");
  merge.lse = tensors.view("lse");
  return merge;
}

}  // namespace

CaseTensors run_mla_prefill_case(bkr_backend *backend, const void *table, const Case &recorded) {
  expect_known(recorded, kNames);
  const bkr_mla_prefill_1 &mla = *static_cast<const bkr_mla_prefill_1 *>(table);
  const CaseParams params(recorded.params);
  if (!params.has("function")) throw CaseError("params has no \"function\"; it must be prefill or merge");
  const bool merges = params.word("function", {"prefill", "merge"}) == 1;
  RunningTensors tensors(recorded.tensors);
  add_results(recorded, merges ? "out_a" : "query", tensors);
  char text[2048] = "";
  bkr_error error = BKR_ERROR_INIT(text);
  if (merges) {
    const bkr_mla_merge_params merge = read_merge(tensors);
    expect_ok("merge", mla.merge(backend, &merge, nullptr, &error), text);
  } else {
    const bkr_mla_prefill_params prefill = read_prefill(params, tensors);
    expect_ok("prefill", mla.prefill(backend, &prefill, nullptr, &error), text);
  }
  CaseTensors results;
  for (const char *name : {"out", "lse"}) results.emplace(name, tensors.at(name));
  return results;
}

}  // namespace bkr::tool
