// SPDX-License-Identifier: Apache-2.0
// What a caller can get wrong: each fault is BKR_INVALID_ARGUMENT, the text names the tensor and the dimension or
// element, and nothing has been written.
#include <functional>
#include <limits>

#include "mamba_under_test.h"

namespace bkr::test {
namespace {

constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

// A call that is in order, with copies of its DLTensors for a fault to be put in.
struct FaultyCall {
  FaultyCall(const std::string &member_name, bool convolution) : member(member_name) {
    MambaKind kind;
    kind.member = member;
    kind.convolution = convolution;
    kind.tokens = {3, 2};
    kind.fresh = {1};
    kind.heads = 4;
    kind.groups = member == "LINEAR" ? 1 : 2;
    call = MambaCall(kind);  // four values, four keys, three slots
    for (auto &[name, tensor] : call.tensors) {
      const DLTensor view = *tensor.view();
      Copy &copy = copies[name];
      copy = {view, Shape(view.shape, view.shape + view.ndim), Shape(view.strides, view.strides + view.ndim)};
      copy.tensor.shape = copy.shape.data();
      copy.tensor.strides = copy.strides.data();
    }
  }

  DLTensor &edit(const std::string &name) { return copies.at(name).tensor; }
  void remove(const std::string &name) { copies.erase(name); }

  // The parameters, with the fields of these tensors set to the copies.
  template <class Params>
  Params pointing(Params params, std::initializer_list<std::pair<const char *, const DLTensor * Params::*>> fields) {
    for (const auto &[name, field] : fields) {
      const auto found = copies.find(name);
      params.*field = found == copies.end() ? nullptr : &found->second.tensor;
    }
    if (flags != 0) params.flags = flags;
    if (struct_size != 0) params.struct_size -= struct_size;
    return params;
  }
  bkr_mamba_conv_params conv() {
    using P = bkr_mamba_conv_params;
    P params = pointing<P>(call.conv(), {{"x", &P::x},
                                         {"weight", &P::weight},
                                         {"bias", &P::bias},
                                         {"input_gate", &P::input_gate},
                                         {"output_gate", &P::output_gate},
                                         {"query_start_loc", &P::query_start_loc},
                                         {"state_indices", &P::state_indices},
                                         {"has_initial_state", &P::has_initial_state},
                                         {"conv_state", &P::conv_state},
                                         {"out", &P::out}});
    params.activation += word;
    return params;
  }
  bkr_mamba_scan_params scan() {
    using P = bkr_mamba_scan_params;
    P params = pointing<P>(call.scan(), {{"x", &P::x},
                                         {"dt", &P::dt},
                                         {"A", &P::A},
                                         {"B", &P::B},
                                         {"C", &P::C},
                                         {"D", &P::D},
                                         {"z", &P::z},
                                         {"dt_bias", &P::dt_bias},
                                         {"query_start_loc", &P::query_start_loc},
                                         {"state_indices", &P::state_indices},
                                         {"has_initial_state", &P::has_initial_state},
                                         {"state", &P::state},
                                         {"out", &P::out}});
    params.dt_softplus += word;
    return params;
  }
  bkr_mamba_linear_params linear() {
    using P = bkr_mamba_linear_params;
    P params = pointing<P>(call.linear(), {{"query", &P::query},
                                           {"key", &P::key},
                                           {"value", &P::value},
                                           {"slopes", &P::slopes},
                                           {"query_start_loc", &P::query_start_loc},
                                           {"state_indices", &P::state_indices},
                                           {"has_initial_state", &P::has_initial_state},
                                           {"state", &P::state},
                                           {"out", &P::out}});
    params.reserved0 = word;
    return params;
  }
  bkr_mamba_delta_params delta() {
    using P = bkr_mamba_delta_params;
    P params = pointing<P>(call.delta(), {{"query", &P::query},
                                          {"key", &P::key},
                                          {"value", &P::value},
                                          {"a", &P::a},
                                          {"b", &P::b},
                                          {"A_log", &P::A_log},
                                          {"dt_bias", &P::dt_bias},
                                          {"query_start_loc", &P::query_start_loc},
                                          {"state_indices", &P::state_indices},
                                          {"has_initial_state", &P::has_initial_state},
                                          {"state", &P::state},
                                          {"out", &P::out}});
    params.reserved0 = word;
    return params;
  }

  struct Copy {
    DLTensor tensor;
    Shape shape;
    Shape strides;
  };
  std::string member;
  MambaCall call;
  std::map<std::string, Copy> copies;
  uint32_t flags = 0;
  uint32_t struct_size = 0;  // bytes that are missing
  int32_t word = 0;          // added to activation or dt_softplus, or given as reserved0
};

struct Fault {
  std::vector<std::string> named;  // in the text
  std::function<void(FaultyCall &)> make;
};

const std::vector<std::pair<std::string, bool>> kFunctions = {
    {"MAMBA1", true}, {"MAMBA1", false}, {"MAMBA2", false}, {"LINEAR", false}, {"GDN_ATTN", false}};

class MambaArguments : public CpuMamba {
 protected:
  Outcome run_faulty(FaultyCall &faulty) {
    const Loaded &loaded = member(faulty.member);
    bkr_backend *backend = loaded.backend.handle();
    const std::string &function = faulty.call.function;
    if (function == "causal_conv1d") return call_kernel(backend, loaded.table->causal_conv1d, faulty.conv());
    if (function == "selective_scan") return call_kernel(backend, loaded.table->selective_scan, faulty.scan());
    if (function == "linear_attention") return call_kernel(backend, loaded.table->linear_attention, faulty.linear());
    return call_kernel(backend, loaded.table->gated_delta_rule, faulty.delta());
  }

  void expect_refusals(const std::string &member, bool convolution, const std::vector<Fault> &faults) {
    for (const Fault &fault : faults) {
      FaultyCall faulty(member, convolution);
      fault.make(faulty);
      std::map<std::string, std::vector<std::byte>> before;
      for (const auto &[name, tensor] : faulty.call.tensors) before[name] = tensor.memory();
      const Outcome outcome = run_faulty(faulty);
      const std::string what = member + " " + faulty.call.function + ": ";
      EXPECT_EQ(outcome.status, BKR_INVALID_ARGUMENT) << what << fault.named.back() << " -> " << outcome.text;
      for (const std::string &word : fault.named) {
        EXPECT_NE(outcome.text.find(word), std::string::npos) << what << "'" << word << "' not in: " << outcome.text;
      }
      for (const auto &[name, tensor] : faulty.call.tensors) {
        EXPECT_EQ(before[name], tensor.memory()) << name << " written in spite of " << fault.named.back();
      }
    }
  }

  static std::function<void(FaultyCall &)> size(const std::string &name, int dimension, int64_t to) {
    return [=](FaultyCall &c) { c.edit(name).shape[dimension] = to; };
  }
  static std::function<void(FaultyCall &)> stride(const std::string &name, int dimension, int64_t to) {
    return [=](FaultyCall &c) { c.edit(name).strides[dimension] = to; };
  }
  static std::function<void(FaultyCall &)> type(const std::string &name, DLDataType to) {
    return [=](FaultyCall &c) { c.edit(name).dtype = to; };
  }
};

TEST_P(MambaArguments, InOrderTheyAreAccepted) {
  for (const auto &[name, convolution] : kFunctions) {
    FaultyCall call(name, convolution);
    const Outcome outcome = run_faulty(call);
    EXPECT_EQ(outcome.status, BKR_OK) << name << " " << outcome.text;
  }
}

TEST_P(MambaArguments, EveryTensorIsChecked) {
  const std::vector<std::string> may_be_missing = {"bias", "input_gate", "output_gate",      "D",
                                                   "z",    "dt_bias",    "has_initial_state"};
  for (const auto &[name, convolution] : kFunctions) {
    const FaultyCall model(name, convolution);
    for (const auto &[tensor, copy] : model.copies) {
      const std::string t = tensor;
      const auto edit = [t](auto change) { return [=](FaultyCall &c) { change(c.edit(t)); }; };
      std::vector<Fault> faults = {
          {{t, "dimensions"}, edit([](DLTensor &d) { d.ndim -= 1; })},
          {{t, "device"}, edit([](DLTensor &d) { d.device.device_type = kDLCUDA; })},
          {{t, "lanes"}, edit([](DLTensor &d) { d.dtype.lanes = 4; })},
          {{t, "elements are uint8"}, type(t, {kDLUInt, 8, 1})},
          {{t, "shape"}, edit([](DLTensor &d) { d.shape = nullptr; })},
          {{t, "dimension 0", "-3"}, size(t, 0, -3)},
          {{t, "dimension 0"}, size(t, 0, copy.shape[0] + 1)},
          {{t, "stride of dimension 0", "-1"}, stride(t, 0, -1)},
          {{t, "memory"}, stride(t, 0, kHuge / 2)},
          {{t, "byte_offset"}, edit([](DLTensor &d) { d.byte_offset = std::numeric_limits<uint64_t>::max() - 3; })},
          {{t, "no data"}, edit([](DLTensor &d) { d.data = nullptr; })},
          {{t, "not aligned"}, edit([](DLTensor &d) { d.byte_offset += 1; })},
      };
      if (std::find(may_be_missing.begin(), may_be_missing.end(), t) == may_be_missing.end()) {
        faults.push_back({{t, "is NULL"}, [t](FaultyCall &c) { c.remove(t); }});
      }
      // More slots, more tokens and more numbers of requests than the others have are the others' faults.
      if (t == "state" || t == "conv_state" || t == "x" || t == "query" || t == "query_start_loc") {
        faults.erase(faults.begin() + 6);
      }
      expect_refusals(name, convolution, faults);
    }
  }
}

TEST_P(MambaArguments, ShapesOfTheConvolutionMustFit) {
  expect_refusals(
      "MAMBA1", true,
      {{{"weight's dimension 0", "channels", "x's dimension 1"}, size("weight", 0, 15)},
       {{"weight's dimension 1", "taps"}, size("weight", 1, 0)},
       {{"bias's dimension 0", "x's dimension 1"}, size("bias", 0, 15)},
       {{"input_gate's dimension 1", "x's dimension 1"}, size("input_gate", 1, 15)},
       {{"output_gate's elements are bfloat16", "x's are float32"}, type("output_gate", {kDLBfloat, 16, 1})},
       {{"conv_state's dimension 1", "x's dimension 1"}, size("conv_state", 1, 15)},
       {{"conv_state's dimension 2", "is 2; it must be 3"}, size("conv_state", 2, 2)},
       {{"conv_state's stride of dimension 0", "overlap"}, stride("conv_state", 0, 1)},
       {{"out's dimension 1", "x's dimension 1"}, size("out", 1, 15)},
       {{"out's stride of dimension 0", "overlap"}, stride("out", 0, 2)},
       {{"x's stride of dimension 1", "must be 1"}, stride("x", 1, 2)},
       {{"x's dimension 1", "0"}, size("x", 1, 0)},
       {{"activation is 3"}, [](FaultyCall &c) { c.word = 2; }}});
}

TEST_P(MambaArguments, ShapesOfTheScansMustFit) {
  expect_refusals("MAMBA1", false,
                  {{{"dt's dimension 1", "channels", "x's dimension 1"}, size("dt", 1, 15)},
                   {{"A's dimension 1", "B's dimension 2"}, size("A", 1, 3)},
                   {{"A's elements are float16", "float32"}, type("A", {kDLFloat, 16, 1})},
                   {{"B's dimension 1 (3 groups)", "x's dimension 1", "divide"}, size("B", 1, 3)},
                   {{"C's dimension 2", "B's dimension 2"}, size("C", 2, 3)},
                   {{"state's dimension 1", "x's dimension 1"}, size("state", 1, 15)},
                   {{"state's dimension 2", "B's dimension 2"}, size("state", 2, 3)},
                   {{"D's dimension 0", "x's dimension 1"}, size("D", 0, 3)},
                   {{"z's dimension 1", "x's dimension 1"}, size("z", 1, 3)}});
  expect_refusals("MAMBA2", false,
                  {{{"dt's dimension 1", "heads", "x's dimension 1"}, size("dt", 1, 3)},
                   {{"A's dimension 0", "x's dimension 1"}, size("A", 0, 3)},
                   {{"B's dimension 1 (3 groups)", "x's dimension 1", "divide"}, size("B", 1, 3)},
                   {{"B's dimension 1", "0"}, size("B", 1, 0)},
                   {{"B's dimension 2", "0"}, size("B", 2, 0)},
                   {{"C's dimension 1", "B's dimension 1"}, size("C", 1, 1)},
                   {{"x's dimension 2", "0"}, size("x", 2, 0)},
                   {{"state's dimension 2", "x's dimension 2"}, size("state", 2, 3)},
                   {{"state's dimension 3", "B's dimension 2"}, size("state", 3, 3)},
                   {{"state's stride of dimension 1", "overlap"}, stride("state", 1, 1)},
                   {{"out's dimension 2", "x's dimension 2"}, size("out", 2, 3)},
                   {{"out's stride of dimension 2", "must be 1"}, stride("out", 2, 2)},
                   {{"dt_bias's dimension 0", "x's dimension 1"}, size("dt_bias", 0, 3)},
                   {{"dt_softplus is 2"}, [](FaultyCall &c) { c.word = 1; }},
                   {{"chunk_size is -1"}, [](FaultyCall &c) { c.call.chunk_size = -1; }}});
}

TEST_P(MambaArguments, ShapesOfAttentionWithAStateMustFit) {
  expect_refusals("LINEAR", false,
                  {{{"key's dimension 1", "query's dimension 1"}, size("key", 1, 3)},
                   {{"key's dimension 2", "query's dimension 2"}, size("key", 2, 3)},
                   {{"value's dimension 1", "query's dimension 1"}, size("value", 1, 3)},
                   {{"slopes's dimension 0", "query's dimension 1"}, size("slopes", 0, 3)},
                   {{"slopes[2] is -0.5"}, [](FaultyCall &c) { c.call.at("slopes").set({2}, -0.5); }},
                   {{"slopes[1] is"}, [](FaultyCall &c) { c.call.at("slopes").set({1}, std::nan("")); }},
                   {{"state's dimension 2", "query's dimension 2"}, size("state", 2, 3)},
                   {{"state's dimension 3", "value's dimension 2"}, size("state", 3, 3)},
                   {{"out's dimension 2", "value's dimension 2"}, size("out", 2, 3)},
                   {{"chunk_size is -5"}, [](FaultyCall &c) { c.call.chunk_size = -5; }}});
  expect_refusals("GDN_ATTN", false,
                  {{{"key's dimension 1", "query's dimension 1"}, size("key", 1, 1)},
                   {{"key's elements are float16", "query's are float32"}, type("key", {kDLFloat, 16, 1})},
                   {{"query's dimension 1 (3 groups)", "value's dimension 1", "divide"},
                    [](FaultyCall &c) { c.edit("query").shape[1] = c.edit("key").shape[1] = 3; }},
                   {{"a's dimension 1", "value's dimension 1"}, size("a", 1, 3)},
                   {{"b's dimension 1", "value's dimension 1"}, size("b", 1, 3)},
                   {{"A_log's dimension 0", "value's dimension 1"}, size("A_log", 0, 3)},
                   {{"dt_bias's dimension 0", "value's dimension 1"}, size("dt_bias", 0, 3)},
                   {{"state's dimension 2", "value's dimension 2"}, size("state", 2, 3)},
                   {{"state's dimension 3", "query's dimension 2"}, size("state", 3, 3)}});
}

TEST_P(MambaArguments, RequestsAndSlotsMustMakeSense) {
  const auto put = [](const char *name, int64_t at, double to) {
    return [=](FaultyCall &c) { c.call.at(name).set({at}, to); };
  };
  for (const auto &[name, convolution] : kFunctions) {
    const std::string state = convolution ? "conv_state" : "state";
    expect_refusals(name, convolution,
                    {{{"query_start_loc[0] is 1"}, put("query_start_loc", 0, 1)},
                     {{"query_start_loc[2] is 5", "query_start_loc[1], 6"}, put("query_start_loc", 1, 6)},
                     {{"query_start_loc[2] is 4", "dimension 0", "5"}, put("query_start_loc", 2, 4)},
                     {{"state_indices[1] is 3", state + " has 3 slots (dimension 0)"}, put("state_indices", 1, 3)},
                     {{"state_indices[1] is", "as state_indices[0] is"},
                      [](FaultyCall &c) {
                        c.call.at("state_indices").with({2, 2});
                      }},
                     {{"has_initial_state[1] is 2"}, put("has_initial_state", 1, 2)},
                     {{"flags is 4"}, [](FaultyCall &c) { c.flags = 4; }},
                     {{"struct_size"}, [](FaultyCall &c) { c.struct_size = 8; }}});
    if (name == "LINEAR" || name == "GDN_ATTN") {
      expect_refusals(name, convolution, {{{"reserved0 is 7"}, [](FaultyCall &c) { c.word = 7; }}});
    }
  }
}

TEST_P(MambaArguments, StreamsAreRefusedOnACpu) {
  int stream = 0;
  MambaKind kind;
  kind.member = "MAMBA2";
  MambaCall call(kind);
  const bkr_mamba_scan_params params = call.scan();
  const Loaded &mamba2 = member("MAMBA2");
  EXPECT_EQ(mamba2.table->selective_scan(mamba2.backend.handle(), &params, &stream, nullptr), BKR_INVALID_ARGUMENT);
}

BKR_WITH_EVERY_CPU_MAMBA(MambaArguments);

}  // namespace
}  // namespace bkr::test
