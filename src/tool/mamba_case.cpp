// SPDX-License-Identifier: Apache-2.0
#include "mamba_case.h"

#include <string>
#include <string_view>

#include "case_params.h"
#include "running_tensors.h"

namespace bkr::tool {
namespace {

// One function: the params and tensors that its cases may have, and how it is called.
struct Function {
  std::string_view name;
  CaseNames names;
  const char *like_out;  // the tensor whose type and, unless the case says otherwise, shape `out` has
  const char *state;
  void (*call)(bkr_backend *backend, const bkr_mamba_1 &table, const CaseParams &params, const RunningTensors &tensors);
};

template <class Params>
Params begin(const RunningTensors &tensors) {
  Params params{};
  params.struct_size = sizeof params;
  params.query_start_loc = tensors.view("query_start_loc");
  params.state_indices = tensors.view("state_indices");
  params.has_initial_state = tensors.view("has_initial_state");
  params.out = tensors.view("out");
  return params;
}

template <class Params>
void call(const char *name, bkr_backend *backend,
          bkr_status(BKR_CALL *function)(bkr_backend *, const Params *, void *, bkr_error *), const Params &params) {
  char text[2048] = "";
  bkr_error error = BKR_ERROR_INIT(text);
  expect_ok(name, function(backend, &params, nullptr, &error), text);
}

void call_conv(bkr_backend *backend, const bkr_mamba_1 &table, const CaseParams &params,
               const RunningTensors &tensors) {
  auto conv = begin<bkr_mamba_conv_params>(tensors);
  conv.activation = params.word("activation", {"none", "silu"});
  conv.x = tensors.view("x");
  conv.weight = tensors.view("weight");
  conv.bias = tensors.view("bias");
  conv.input_gate = tensors.view("input_gate");
  conv.output_gate = tensors.view("output_gate");
  conv.conv_state = tensors.view("conv_state");
  call("causal_conv1d", backend, table.causal_conv1d, conv);
}

void call_scan(bkr_backend *backend, const bkr_mamba_1 &table, const CaseParams &params,
               const RunningTensors &tensors) {
  auto scan = begin<bkr_mamba_scan_params>(tensors);
  scan.dt_softplus = params.yes("dt_softplus", false) ? 1 : 0;
  scan.chunk_size = params.whole("chunk_size", 0);
  scan.x = tensors.view("x");
  scan.dt = tensors.view("dt");
  scan.A = tensors.view("A");
  scan.B = tensors.view("B");
  scan.C = tensors.view("C");
  scan.D = tensors.view("D");
  scan.z = tensors.view("z");
  scan.dt_bias = tensors.view("dt_bias");
  scan.state = tensors.view("state");
  call("selective_scan", backend, table.selective_scan, scan);
}

void call_linear(bkr_backend *backend, const bkr_mamba_1 &table, const CaseParams &params,
                 const RunningTensors &tensors) {
  auto linear = begin<bkr_mamba_linear_params>(tensors);
  linear.chunk_size = params.whole("chunk_size", 0);
  linear.query = tensors.view("query");
  linear.key = tensors.view("key");
  linear.value = tensors.view("value");
  linear.slopes = tensors.view("slopes");
  linear.state = tensors.view("state");
  call("linear_attention", backend, table.linear_attention, linear);
}

void call_delta(bkr_backend *backend, const bkr_mamba_1 &table, const CaseParams &params,
                const RunningTensors &tensors) {
  auto delta = begin<bkr_mamba_delta_params>(tensors);
  delta.chunk_size = params.whole("chunk_size", 0);
  delta.query = tensors.view("query");
  delta.key = tensors.view("key");
  delta.value = tensors.view("value");
  delta.a = tensors.view("a");
  delta.b = tensors.view("b");
  delta.A_log = tensors.view("A_log");
  delta.dt_bias = tensors.view("dt_bias");
  delta.state = tensors.view("state");
  call("gated_delta_rule", backend, table.gated_delta_rule, delta);
}

constexpr std::string_view kConvParams[] = {"function", "activation"};
constexpr std::string_view kScanParams[] = {"function", "dt_softplus", "chunk_size"};
constexpr std::string_view kChunkParams[] = {"function", "chunk_size"};
constexpr std::string_view kConvTensors[] = {"x",
                                             "weight",
                                             "bias",
                                             "input_gate",
                                             "output_gate",
                                             "query_start_loc",
                                             "state_indices",
                                             "has_initial_state",
                                             "conv_state",
                                             "out"};
constexpr std::string_view kScanTensors[] = {
    "x",     "dt", "A", "B", "C", "D", "z", "dt_bias", "query_start_loc", "state_indices", "has_initial_state",
    "state", "out"};
constexpr std::string_view kLinearTensors[] = {
    "query", "key", "value", "slopes", "query_start_loc", "state_indices", "has_initial_state", "state", "out"};
constexpr std::string_view kDeltaTensors[] = {
    "query", "key", "value", "a", "b", "A_log", "dt_bias", "query_start_loc", "state_indices", "has_initial_state",
    "state", "out"};

constexpr Function kFunctions[] = {
    {"causal_conv1d", {BKR_MAMBA_1, kConvParams, kConvTensors}, "x", "conv_state", call_conv},
    {"selective_scan", {BKR_MAMBA_1, kScanParams, kScanTensors}, "x", "state", call_scan},
    {"linear_attention", {BKR_MAMBA_1, kChunkParams, kLinearTensors}, "value", "state", call_linear},
    {"gated_delta_rule", {BKR_MAMBA_1, kChunkParams, kDeltaTensors}, "value", "state", call_delta},
};

const Function &function_of(const Case &recorded) {
  const CaseParams params(recorded.params);
  if (!params.has("function")) throw CaseError("params has no \"function\"");
  const int32_t place =
      params.word("function", {kFunctions[0].name, kFunctions[1].name, kFunctions[2].name, kFunctions[3].name});
  return kFunctions[place];
}

}  // namespace

CaseTensors run_mamba_case(bkr_backend *backend, const void *table, const Case &recorded) {
  const Function &function = function_of(recorded);
  expect_known(recorded, function.names);
  RunningTensors tensors(recorded.tensors);
  if (!tensors.has(function.like_out)) throw CaseError("tensors has no \"" + std::string(function.like_out) + "\"");
  tensors.add_result("out", recorded.expected, tensors.at(function.like_out));
  function.call(backend, *static_cast<const bkr_mamba_1 *>(table), CaseParams(recorded.params), tensors);
  CaseTensors results;
  results.emplace("out", tensors.at("out"));
  if (tensors.has(function.state)) results.emplace(function.state, tensors.at(function.state));
  return results;
}

}  // namespace bkr::tool
