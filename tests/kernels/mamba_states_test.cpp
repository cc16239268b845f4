// SPDX-License-Identifier: Apache-2.0
// Which slots a call touches, which functions and shapes each member has, and that memory does not grow.
#include <malloc.h>

#include <cmath>

#include "mamba_reference.h"
#include "mamba_under_test.h"

namespace bkr::test {
namespace {

const std::vector<std::string> kMembers = {"MAMBA1", "MAMBA2", "SHORT_CONV", "LINEAR", "GDN_ATTN"};

MambaKind kind_of(const std::string &member) {
  MambaKind kind;
  kind.member = member;
  kind.convolution = member == "SHORT_CONV";
  return kind;
}

using MambaStates = CpuMamba;

TEST_P(MambaStates, SkippedRequestsAndSlotsOfNobodyStayAsTheyAre) {
  for (const std::string &name : kMembers) {
    MambaKind kind = kind_of(name);
    kind.tokens = {2, 12, 3};
    kind.skipped = {1};
    kind.state_dtype = "bfloat16";
    MambaCall call(kind);
    StridedTensor before = call.state();
    ASSERT_EQ(run(name, call).status, BKR_OK);
    const std::vector<double> out = numbers_of(call.at("out"));
    const std::size_t of_token = out.size() / 17;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const bool skipped = i >= 2 * of_token && i < 14 * of_token;
      ASSERT_EQ(std::isnan(out[i]), skipped) << name << " " << i;
    }
    // Of four slots two are written: no number in the others, to the last bit as before.
    const std::vector<double> state = numbers_of(call.state());
    const std::vector<double> old = numbers_of(before);
    std::size_t untouched = 0;
    for (std::size_t i = 0; i < state.size(); ++i) untouched += std::isnan(state[i]) && std::isnan(old[i]) ? 1 : 0;
    EXPECT_EQ(untouched, state.size() / 2) << name;
  }
}

TEST_P(MambaStates, ARequestWithoutTokensLeavesItsSlot) {
  for (const std::string &name : kMembers) {
    MambaKind kind = kind_of(name);
    kind.tokens = {0, 0};
    kind.fresh = {1};
    MambaCall call(kind);
    const std::vector<std::byte> before = call.state().memory();
    const Outcome outcome = run(name, call);
    ASSERT_EQ(outcome.status, BKR_OK) << outcome.text;
    EXPECT_EQ(call.state().memory(), before) << name;
    kind.tokens = {};
    kind.fresh = {};
    MambaCall empty(kind);
    EXPECT_EQ(run(name, empty).status, BKR_OK) << name;
  }
}

TEST_P(MambaStates, ShapesAreWhatTheHeaderSays) {
  const auto shapes = [&](const std::string &name) {
    int64_t conv[BKR_MAMBA_MAX_DIMS] = {};
    int64_t state[BKR_MAMBA_MAX_DIMS] = {};
    int32_t conv_ndim = -1;
    int32_t state_ndim = -1;
    bkr_mamba_state_params params{};
    params.struct_size = sizeof params;
    params.num_slots = 7;
    params.num_heads = 6;
    params.head_size = 5;
    params.num_groups = 2;
    params.state_size = 3;
    params.conv_width = 4;
    params.conv_state_shape = conv;
    params.state_shape = state;
    params.conv_state_ndim = &conv_ndim;
    params.state_ndim = &state_ndim;
    const Outcome outcome = call_kernel(member(name).backend.handle(), member(name).table->state_shapes, params);
    EXPECT_EQ(outcome.status, BKR_OK) << outcome.text;
    return std::pair{Shape(conv, conv + conv_ndim), Shape(state, state + state_ndim)};
  };
  EXPECT_EQ(shapes("MAMBA1"), std::pair(Shape{7, 30, 3}, Shape{7, 30, 3}));
  EXPECT_EQ(shapes("MAMBA2"), std::pair(Shape{7, 42, 3}, Shape{7, 6, 5, 3}));
  EXPECT_EQ(shapes("SHORT_CONV"), std::pair(Shape{7, 30, 3}, Shape{}));
  EXPECT_EQ(shapes("LINEAR"), std::pair(Shape{}, Shape{7, 6, 3, 5}));
  EXPECT_EQ(shapes("GDN_ATTN"), std::pair(Shape{7, 42, 3}, Shape{7, 6, 5, 3}));
}

TEST_P(MambaStates, SizesThatNoStateHasAreRefused) {
  int64_t conv[BKR_MAMBA_MAX_DIMS] = {};
  int64_t state[BKR_MAMBA_MAX_DIMS] = {};
  int32_t ndim = 0;
  const auto text = [&](const std::string &name, auto change) {
    bkr_mamba_state_params params{sizeof params, 0, 7, 6, 5, 2, 3, 4, conv, state, &ndim, &ndim};
    change(params);
    const Outcome outcome = call_kernel(member(name).backend.handle(), member(name).table->state_shapes, params);
    return outcome.status == BKR_INVALID_ARGUMENT ? outcome.text : bkr_status_name(outcome.status);
  };
  using P = bkr_mamba_state_params;
  EXPECT_EQ(text("MAMBA1", [](P &p) { p.num_slots = 0; }), "num_slots is 0; it must be at least 1");
  EXPECT_EQ(text("MAMBA1", [](P &p) { p.num_groups = 0; }), "BKR_OK") << "no size of its states";
  EXPECT_EQ(text("MAMBA2", [](P &p) { p.num_groups = 4; }), "num_groups is 4, which does not divide num_heads, 6");
  EXPECT_EQ(text("LINEAR", [](P &p) { p.conv_width = 0; }), "BKR_OK") << "has no convolution";
  EXPECT_NE(text("GDN_ATTN", [](P &p) { p.state_size = int64_t{1} << 61; }).find("memory"), std::string::npos);
  EXPECT_EQ(text("SHORT_CONV", [](P &p) { p.state_shape = nullptr; }), "state_shape is NULL");
  EXPECT_EQ(text("SHORT_CONV", [](P &p) { p.flags = 2; }), "flags is 2; it must be 0");
}

TEST_P(MambaStates, FunctionsThatAMemberDoesNotHaveAreUnsupported) {
  const std::map<std::string, std::vector<std::string>> functions = {
      {"MAMBA1", {"causal_conv1d", "selective_scan"}},
      {"MAMBA2", {"causal_conv1d", "selective_scan"}},
      {"SHORT_CONV", {"causal_conv1d"}},
      {"LINEAR", {"linear_attention"}},
      {"GDN_ATTN", {"causal_conv1d", "gated_delta_rule"}}};
  for (const auto &[name, has] : functions) {
    for (const std::string function : {"causal_conv1d", "selective_scan", "linear_attention", "gated_delta_rule"}) {
      if (std::find(has.begin(), has.end(), function) != has.end()) continue;
      MambaCall call;
      call.function = function;
      const Outcome outcome = run(name, call);
      EXPECT_EQ(outcome.status, BKR_UNSUPPORTED) << name << " " << function;
      EXPECT_NE(outcome.text.find(" has no " + function), std::string::npos) << outcome.text;
    }
  }
}

TEST_P(MambaStates, NamesAreTheBackendsOwn) {
  EXPECT_EQ(member("MAMBA1").backend.name(), "MAMBA1_ATTN");
  EXPECT_EQ(member("MAMBA2").backend.name(), "MAMBA2_ATTN");
  EXPECT_EQ(member("SHORT_CONV").backend.name(), "SHORT_CONV_ATTN");
  EXPECT_EQ(member("LINEAR").backend.name(), "LINEAR_ATTN");
  EXPECT_EQ(member("GDN_ATTN").backend.name(), "GDN_ATTN");
}

TEST_P(MambaStates, FactsThatAMemberCannotServeAreReasons) {
  using Reasons = std::vector<std::string>;
  for (const std::string &name : kMembers) {
    const bkr::backend &backend = member(name).backend;
    EXPECT_EQ(backend.validate({{"mamba_type", name.c_str()}, {"dtype", "bfloat16"}, {"state_dtype", "float32"}}),
              Reasons{});
    EXPECT_EQ(backend.validate({{"mamba_type", "OTHER"}, {"dtype", "float64"}, {"speed", "9"}}),
              (Reasons{"mamba type OTHER not supported", "dtype not supported", "unknown requirement speed=9"}));
  }
}

TEST_P(MambaStates, CallsLeaveNoMemoryBehind) {
  for (const std::string &name : kMembers) {
    MambaKind kind = kind_of(name);
    kind.tokens = {40, 1};
    MambaCall call(kind);
    ASSERT_EQ(run(name, call).status, BKR_OK);
    ASSERT_EQ(run(name, call).status, BKR_OK);
    const std::size_t before = mallinfo2().uordblks;
    for (int i = 0; i < 50; ++i) ASSERT_EQ(run(name, call).status, BKR_OK);
    EXPECT_LE(mallinfo2().uordblks, before + 4096) << name;
  }
}

BKR_WITH_EVERY_CPU_MAMBA(MambaStates);

}  // namespace
}  // namespace bkr::test
