// SPDX-License-Identifier: Apache-2.0
#include "mamba_call.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace bkr::test {
namespace {

bool contains(const std::vector<int> &list, int64_t item) {
  return std::find(list.begin(), list.end(), static_cast<int>(item)) != list.end();
}

// Fills a MambaCall by the kind.
class Maker {
 public:
  Maker(MambaCall &call, const MambaKind &kind) : call_(call), kind_(kind), random_(kind.seed) {
    tokens_ = std::accumulate(kind.tokens.begin(), kind.tokens.end(), int64_t{0});
    requests_ = static_cast<int64_t>(kind.tokens.size());
    channels_ = kind.heads * kind.values;
  }

  void make() {
    call_.chunk_size = kind_.chunk_size;
    add_requests();
    if (kind_.convolution) return make_conv();
    if (kind_.member == "MAMBA1") return make_channel_scan();
    if (kind_.member == "MAMBA2") return make_head_scan();
    if (kind_.member == "LINEAR") return make_linear();
    make_delta();
  }

 private:
  // Multiples of 1/64, exact in every type, from -amplitude to amplitude.
  double number(double amplitude) {
    const auto steps = static_cast<int>(amplitude * 64);
    return static_cast<double>(static_cast<int>(random_() % static_cast<uint32_t>(2 * steps + 1)) - steps) / 64;
  }

  StridedTensor &add(const std::string &name, const std::string &dtype, const Shape &shape, double amplitude) {
    std::vector<int> order;
    for (std::size_t d = 0; d < shape.size(); ++d) order.push_back(static_cast<int>(d));
    if (kind_.scattered && shape.size() > 2) std::swap(order[0], order[1]);
    StridedTensor &made = call_.add(name, StridedTensor(dtype, shape, order, kind_.scattered ? 3 : 0));
    made.fill([&] { return number(amplitude); });
    return made;
  }

  void add_rows(const std::string &name, const Shape &shape, double amplitude) {
    add(name, kind_.dtype, shape, amplitude);
  }

  void add_out(const Shape &shape) { call_.add("out", StridedTensor(kind_.dtype, shape, {}, kind_.scattered ? 5 : 0)); }

  void add_requests() {
    std::vector<double> starts = {0};
    for (const int64_t count : kind_.tokens) starts.push_back(starts.back() + static_cast<double>(count));
    std::vector<double> slots(kind_.tokens.size() + 1);
    std::iota(slots.begin(), slots.end(), 0.0);
    std::shuffle(slots.begin(), slots.end(), random_);
    slots.pop_back();
    std::vector<double> initial(slots.size(), 1.0);
    for (const int r : kind_.skipped) slots[static_cast<std::size_t>(r)] = -1 - r;
    for (const int r : kind_.fresh) initial[static_cast<std::size_t>(r)] = 0.0;
    slots_ = slots;
    call_.add("query_start_loc", StridedTensor("int32", {requests_ + 1})).with(starts);
    call_.add("state_indices", StridedTensor("int32", {requests_})).with(slots);
    if (!kind_.fresh.empty()) call_.add("has_initial_state", StridedTensor("int32", {requests_})).with(initial);
  }

  // Numbers in the slots that are begun with, NaN in all others.
  void fill_state(StridedTensor &state) {
    std::set<int64_t> used;
    for (int64_t r = 0; r < requests_; ++r) {
      const double slot = slots_[static_cast<std::size_t>(r)];
      if (slot >= 0 && !contains(kind_.fresh, r)) used.insert(static_cast<int64_t>(slot));
    }
    int64_t of_slot = 1;
    for (std::size_t d = 1; d < state.shape().size(); ++d) of_slot *= state.size(d);
    int64_t i = 0;
    state.fill([&] { return used.contains(i++ / std::max<int64_t>(1, of_slot)) ? number(1.0) : NAN; });
  }

  void make_conv() {
    call_.function = "causal_conv1d";
    call_.silu = kind_.member != "SHORT_CONV";
    add_rows("x", {tokens_, channels_}, 1.0);
    add("weight", "float32", {channels_, kind_.taps}, 1.0);
    if (kind_.options) {
      add("bias", "float32", {channels_}, 1.0);
      add_rows("input_gate", {tokens_, channels_}, 1.0);
      add_rows("output_gate", {tokens_, channels_}, 1.0);
    }
    std::vector<int> order = {0, 1, 2};
    if (kind_.scattered) order = {0, 2, 1};
    const Shape shape = {requests_ + 1, channels_, kind_.taps - 1};
    fill_state(call_.add("conv_state", StridedTensor(kind_.state_dtype, shape, order, kind_.scattered ? 2 : 0)));
    add_out({tokens_, channels_});
  }

  void add_scan_gates() {
    call_.function = "selective_scan";
    call_.dt_softplus = kind_.options;
    add_rows("B", {tokens_, kind_.groups, kind_.keys}, 1.0);
    add_rows("C", {tokens_, kind_.groups, kind_.keys}, 1.0);
  }

  void add_state(const Shape &shape) {
    Shape all = {requests_ + 1};
    all.insert(all.end(), shape.begin(), shape.end());
    fill_state(call_.add("state", StridedTensor(kind_.state_dtype, all, {}, kind_.scattered ? 3 : 0)));
  }

  // Steps that are not negative where they are used as they are.
  void add_dt(int64_t size) {
    add_rows("dt", {tokens_, size}, 1.0);
    if (!kind_.options) call_.at("dt").fill([&] { return std::fabs(number(1.0)); });
  }

  void make_channel_scan() {
    add_scan_gates();
    add_rows("x", {tokens_, channels_}, 1.0);
    add_dt(channels_);
    add("A", "float32", {channels_, kind_.keys}, 1.0).fill([&] {
      return -kind_.decay * (std::fabs(number(1.0)) + 0.015625);
    });
    if (kind_.options) {
      add("D", "float32", {channels_}, 1.0);
      add_rows("z", {tokens_, channels_}, 2.0);
      add("dt_bias", "float32", {channels_}, 1.0);
    }
    add_state({channels_, kind_.keys});
    add_out({tokens_, channels_});
  }

  void make_head_scan() {
    add_scan_gates();
    add_rows("x", {tokens_, kind_.heads, kind_.values}, 1.0);
    add_dt(kind_.heads);
    add("A", "float32", {kind_.heads}, 1.0).fill([&] { return -kind_.decay * (std::fabs(number(1.0)) + 0.015625); });
    if (kind_.options) {
      add("D", "float32", {kind_.heads}, 1.0);
      add_rows("z", {tokens_, kind_.heads, kind_.values}, 2.0);
      add("dt_bias", "float32", {kind_.heads}, 1.0);
    }
    add_state({kind_.heads, kind_.values, kind_.keys});
    add_out({tokens_, kind_.heads, kind_.values});
  }

  void make_linear() {
    call_.function = "linear_attention";
    add_rows("query", {tokens_, kind_.heads, kind_.keys}, 1.0);
    add_rows("key", {tokens_, kind_.heads, kind_.keys}, 1.0);
    add_rows("value", {tokens_, kind_.heads, kind_.values}, 1.0);
    add("slopes", "float32", {kind_.heads}, 1.0).fill([&] {
      return kind_.decay * (std::fabs(number(1.0)) + 0.015625);
    });
    add_state({kind_.heads, kind_.keys, kind_.values});
    add_out({tokens_, kind_.heads, kind_.values});
  }

  void make_delta() {
    call_.function = "gated_delta_rule";
    add_rows("query", {tokens_, kind_.groups, kind_.keys}, 1.0);
    add_rows("key", {tokens_, kind_.groups, kind_.keys}, 1.0);
    add_rows("value", {tokens_, kind_.heads, kind_.values}, 1.0);
    add_rows("a", {tokens_, kind_.heads}, 2.0);
    add_rows("b", {tokens_, kind_.heads}, 2.0);
    add("A_log", kind_.dtype, {kind_.heads}, 1.0).fill([&] { return std::log(kind_.decay) + number(1.0); });
    if (kind_.options) add("dt_bias", kind_.dtype, {kind_.heads}, 1.0);
    add_state({kind_.heads, kind_.values, kind_.keys});
    add_out({tokens_, kind_.heads, kind_.values});
  }

  MambaCall &call_;
  const MambaKind &kind_;
  std::mt19937 random_;
  int64_t tokens_ = 0;
  int64_t requests_ = 0;
  int64_t channels_ = 0;
  std::vector<double> slots_;
};

}  // namespace

MambaCall::MambaCall(const MambaKind &kind) { Maker(*this, kind).make(); }

const DLTensor *MambaCall::view(const std::string &name) { return has(name) ? at(name).view() : nullptr; }

bkr_mamba_conv_params MambaCall::conv() {
  bkr_mamba_conv_params params{};
  params.struct_size = sizeof params;
  params.activation = silu ? BKR_MAMBA_ACTIVATION_SILU : BKR_MAMBA_ACTIVATION_NONE;
  params.x = view("x");
  params.weight = view("weight");
  params.bias = view("bias");
  params.input_gate = view("input_gate");
  params.output_gate = view("output_gate");
  params.query_start_loc = view("query_start_loc");
  params.state_indices = view("state_indices");
  params.has_initial_state = view("has_initial_state");
  params.conv_state = view("conv_state");
  params.out = view("out");
  return params;
}

bkr_mamba_scan_params MambaCall::scan() {
  bkr_mamba_scan_params params{};
  params.struct_size = sizeof params;
  params.dt_softplus = dt_softplus ? 1 : 0;
  params.chunk_size = chunk_size;
  params.x = view("x");
  params.dt = view("dt");
  params.A = view("A");
  params.B = view("B");
  params.C = view("C");
  params.D = view("D");
  params.z = view("z");
  params.dt_bias = view("dt_bias");
  params.query_start_loc = view("query_start_loc");
  params.state_indices = view("state_indices");
  params.has_initial_state = view("has_initial_state");
  params.state = view("state");
  params.out = view("out");
  return params;
}

bkr_mamba_linear_params MambaCall::linear() {
  bkr_mamba_linear_params params{};
  params.struct_size = sizeof params;
  params.chunk_size = chunk_size;
  params.query = view("query");
  params.key = view("key");
  params.value = view("value");
  params.slopes = view("slopes");
  params.query_start_loc = view("query_start_loc");
  params.state_indices = view("state_indices");
  params.has_initial_state = view("has_initial_state");
  params.state = view("state");
  params.out = view("out");
  return params;
}

bkr_mamba_delta_params MambaCall::delta() {
  bkr_mamba_delta_params params{};
  params.struct_size = sizeof params;
  params.chunk_size = chunk_size;
  params.query = view("query");
  params.key = view("key");
  params.value = view("value");
  params.a = view("a");
  params.b = view("b");
  params.A_log = view("A_log");
  params.dt_bias = view("dt_bias");
  params.query_start_loc = view("query_start_loc");
  params.state_indices = view("state_indices");
  params.has_initial_state = view("has_initial_state");
  params.state = view("state");
  params.out = view("out");
  return params;
}

MambaCall part_of(MambaCall &whole, int64_t first, int64_t count, const StridedTensor &state) {
  MambaCall part = whole;
  StridedTensor &starts = whole.at("query_start_loc");
  const int64_t requests = starts.size(0) - 1;
  std::vector<int64_t> rows;  // of the whole
  std::vector<double> part_starts = {0};
  std::vector<double> initial;
  for (int64_t r = 0; r < requests; ++r) {
    const auto begin = static_cast<int64_t>(starts.at({r}));
    const auto end = static_cast<int64_t>(starts.at({r + 1}));
    for (int64_t t = begin + first; t < std::min(end, begin + first + count); ++t) rows.push_back(t);
    part_starts.push_back(static_cast<double>(rows.size()));
    initial.push_back(first > 0 || !whole.has("has_initial_state") ? 1.0 : whole.at("has_initial_state").at({r}));
  }
  static const std::set<std::string> kOfTokens = {"x",     "input_gate", "output_gate", "dt", "B", "C",  "z",
                                                  "query", "key",        "value",       "a",  "b", "out"};
  for (auto &[name, tensor] : part.tensors) {
    if (!kOfTokens.contains(name)) continue;
    Shape shape = tensor.shape();
    shape[0] = static_cast<int64_t>(rows.size());
    StridedTensor cut(std::string(tensor.dtype()), shape);
    std::vector<double> numbers;
    int64_t of_row = 1;
    for (std::size_t d = 1; d < shape.size(); ++d) of_row *= shape[d];
    StridedTensor &from = whole.at(name);
    for (const int64_t row : rows) {
      for (int64_t i = 0; i < of_row; ++i) {
        numbers.push_back(shape.size() == 2 ? from.at({row, i}) : from.at({row, i / shape[2], i % shape[2]}));
      }
    }
    if (!numbers.empty()) cut.with(numbers);
    tensor = cut;
  }
  part.add("query_start_loc", StridedTensor("int32", {requests + 1})).with(part_starts);
  part.add("has_initial_state", StridedTensor("int32", {requests})).with(initial);
  part.state() = state;
  return part;
}

}  // namespace bkr::test
