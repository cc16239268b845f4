// SPDX-License-Identifier: Apache-2.0
// Makes the recorded cases in tests/cases/mamba from the float64 reference.
//
//     make_mamba_cases FOLDER           writes them
//     make_mamba_cases --check FOLDER   says whether the files there are what it would write
//
// A file's name begins with the member that it is for. Inputs are multiples of 1/64, exact in every element type;
// results are rounded to 9 digits.
#include <map>

#include "case_document.h"
#include "mamba_reference.h"

namespace bkr::test {
namespace {

Json make(const MambaKind &kind) {
  MambaCall call(kind);
  Json params = {{"function", call.function}};
  if (call.silu) params["activation"] = "silu";
  if (call.dt_softplus) params["dt_softplus"] = true;
  if (call.chunk_size != 0) params["chunk_size"] = call.chunk_size;
  Json tensors;
  for (auto &[name, tensor] : call.tensors) {
    if (name != "out") tensors[name] = tensor_of(tensor);
  }
  const MambaReference reference = mamba_reference(call);
  Json document = {{"interface", BKR_MAMBA_1}, {"params", params}, {"tensors", tensors}};
  document["expected"]["out"] = result_of(call.at("out").shape(), reference.out);
  document["expected"][call.function == "causal_conv1d" ? "conv_state" : "state"] =
      result_of(call.state().shape(), reference.state);
  const bool narrow = kind.dtype != "float32";
  document["tolerance"] = {{"absolute", narrow ? 1e-4 : 1e-5}, {"relative", narrow ? 4e-3 : 1e-5}};
  return document;
}

std::map<std::string, Json> cases() {
  std::map<std::string, Json> all;
  const auto add = [&](const std::string &name, const std::string &member, bool convolution, uint32_t seed,
                       const std::string &dtype = "float32") {
    MambaKind kind;  // a prefill, a request that is skipped, a first token and a later one
    kind.tokens = {5, 2, 1, 1};
    kind.skipped = {1};
    kind.fresh = {0, 2};
    kind.groups = member == "LINEAR" ? 1 : 2;
    kind.heads = 4;
    kind.member = member;
    kind.convolution = convolution;
    kind.seed = seed;
    kind.dtype = dtype;
    kind.state_dtype = dtype;
    kind.options = member != "LINEAR" && !(convolution && member == "GDN_ATTN");
    all[name] = make(kind);
  };
  add("MAMBA1.conv", "MAMBA1", true, 1);
  add("MAMBA1.scan", "MAMBA1", false, 2);
  add("MAMBA2.scan", "MAMBA2", false, 3);
  add("MAMBA2.scan_bfloat16", "MAMBA2", false, 4, "bfloat16");
  add("SHORT_CONV.gated", "SHORT_CONV", true, 5);
  add("LINEAR.ragged", "LINEAR", false, 6);
  add("GDN_ATTN.conv_float16", "GDN_ATTN", true, 7, "float16");
  add("GDN_ATTN.ragged", "GDN_ATTN", false, 8);
  return all;
}

}  // namespace
}  // namespace bkr::test

int main(int count, char **arguments) { return bkr::test::make_cases(count, arguments, bkr::test::cases); }
