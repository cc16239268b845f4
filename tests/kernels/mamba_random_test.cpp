// SPDX-License-Identifier: Apache-2.0
// Random ragged batches against plain float64 loops: shapes, types, strides and options mixed.
#include <cmath>
#include <sstream>

#include "mamba_reference.h"
#include "mamba_under_test.h"

namespace bkr::test {
namespace {

template <class T>
T one_of(std::mt19937 &random, const std::vector<T> &choices) {
  return choices[random() % choices.size()];
}

std::string describe(const MambaKind &kind) {
  std::ostringstream text;
  text << kind.member << (kind.convolution ? " conv" : "") << " seed " << kind.seed << ": " << kind.dtype << " on "
       << kind.state_dtype << ", heads " << kind.heads << "/" << kind.groups << ", values " << kind.values << ", keys "
       << kind.keys << ", taps " << kind.taps << (kind.scattered ? ", scattered" : "")
       << (kind.options ? ", options" : "") << ", decay " << kind.decay << ", chunk " << kind.chunk_size << ", tokens";
  for (const int64_t count : kind.tokens) text << " " << count;
  return text.str();
}

MambaKind random_kind(std::mt19937 &random, uint32_t seed, const std::string &member, bool convolution) {
  const std::vector<std::string> types = {"float32", "float16", "bfloat16"};
  MambaKind kind;
  kind.seed = seed;
  kind.member = member;
  kind.convolution = convolution;
  kind.groups = one_of<int64_t>(random, {1, 1, 2, 3});
  kind.heads = kind.groups * one_of<int64_t>(random, {1, 2, 3, 5});
  kind.values = one_of<int64_t>(random, {1, 3, 8, 20, 33, 64});
  kind.keys = one_of<int64_t>(random, {1, 5, 8, 16, 31, 48});
  kind.taps = one_of<int64_t>(random, {1, 2, 3, 4, 4, 6});
  kind.dtype = one_of(random, types);
  kind.state_dtype = random() % 2 == 0 ? "float32" : one_of(random, types);
  kind.options = random() % 3 != 0;
  kind.scattered = random() % 2 == 0;
  kind.decay = one_of<double>(random, {0.01, 0.3, 1.0, 20.0, 3000.0});
  kind.chunk_size = one_of<int32_t>(random, {0, 0, 1, 2, 16, 50, 1000});
  kind.tokens.clear();
  const int count = static_cast<int>(random() % 4) + 1;
  for (int r = 0; r < count; ++r) {
    kind.tokens.push_back(one_of<int64_t>(random, {0, 1, 1, 2, 5, 9, 33, 70}));
    if (random() % 6 == 0) kind.skipped.push_back(r);
    if (random() % 3 == 0) kind.fresh.push_back(r);
  }
  return kind;
}

const std::vector<std::pair<std::string, bool>> kFunctions = {
    {"MAMBA1", true},     {"MAMBA1", false}, {"MAMBA2", true},   {"MAMBA2", false},
    {"SHORT_CONV", true}, {"LINEAR", false}, {"GDN_ATTN", true}, {"GDN_ATTN", false}};

class MambaRandom : public CpuMamba {
 protected:
  void expect_agreement(const MambaKind &kind) {
    MambaCall call(kind);
    const MambaReference reference = mamba_reference(call);
    const Outcome outcome = run(kind.member, call);
    ASSERT_EQ(outcome.status, BKR_OK) << describe(kind) << ": " << outcome.text;
    expect_results(call, reference, describe(kind));
  }
};

TEST_P(MambaRandom, AgreesWithPlainLoops) {
  for (const auto &[name, convolution] : kFunctions) {
    for (uint32_t seed = 1; seed <= 30; ++seed) {
      std::mt19937 random(seed);
      set_workers(1 + seed % 3);
      expect_agreement(random_kind(random, seed, name, convolution));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(MambaRandom, LongSequencesAgree) {
  for (const auto &[name, convolution] : kFunctions) {
    MambaKind kind;
    kind.member = name;
    kind.convolution = convolution;
    kind.tokens = {700};
    kind.heads = 2;
    kind.values = 16;
    kind.keys = 16;
    kind.decay = 0.05;
    expect_agreement(kind);
    if (HasFatalFailure()) return;
  }
}

// Rows of A, heads and channels that fade at once and not at all, side by side in one chunk.
TEST_P(MambaRandom, LargeDecaysHarmNothing) {
  for (const std::string name : {"MAMBA1", "MAMBA2", "LINEAR", "GDN_ATTN"}) {
    for (const double decay : {1e-4, 1e3, 1e6, 1e30}) {
      MambaKind kind;
      kind.member = name;
      kind.tokens = {90};
      kind.heads = 3;
      kind.values = 8;
      kind.keys = 8;
      kind.decay = decay;
      expect_agreement(kind);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(MambaRandom, AStepThatForgetsAllStandsBesideStepsThatForgetNothing) {
  for (const std::string name : {"MAMBA2", "GDN_ATTN"}) {
    MambaKind kind;
    kind.member = name;
    kind.tokens = {100};
    kind.values = 8;
    kind.keys = 8;
    kind.options = false;
    MambaCall call(kind);
    call.at(name == "MAMBA2" ? "A" : "A_log").fill([&] { return name == "MAMBA2" ? -1.0 : 0.0; });
    StridedTensor &gate = call.at(name == "MAMBA2" ? "dt" : "a");
    int64_t i = 0;
    gate.fill([&] { return i++ / 2 % 30 == 12 ? 9000.0 : (name == "MAMBA2" ? 0.001 : -6.0); });
    const MambaReference reference = mamba_reference(call);
    ASSERT_EQ(run(name, call).status, BKR_OK);
    if (name == "GDN_ATTN") {
      expect_results(call, reference, name);
      continue;
    }
    // d multiplies the value too: the largest is no measure for the rest.
    const std::vector<double> out = numbers_of(call.at("out"));
    for (std::size_t e = 0; e < out.size(); ++e) {
      ASSERT_NEAR(out[e], reference.out[e], 2e-5 * std::fabs(reference.out[e]) + 5e-2) << e;
    }
  }
}

TEST_P(MambaRandom, AnyCutOfASequenceGivesTheSame) {
  for (const auto &[name, convolution] : kFunctions) {
    MambaKind kind;
    kind.member = name;
    kind.convolution = convolution;
    kind.tokens = {75, 40, 1};
    kind.fresh = {1};
    kind.heads = 4;
    kind.groups = 2;
    kind.values = 12;
    kind.keys = 20;
    MambaCall whole(kind);
    const MambaReference reference = mamba_reference(whole);
    for (const std::vector<int64_t> &cuts : {std::vector<int64_t>{1, 1, 1}, {64, 3}, {10, 30}, {2, 70}}) {
      StridedTensor state = whole.state();
      int64_t done = 0;
      for (std::size_t i = 0; done < 75; ++i) {
        const int64_t count = i < cuts.size() ? cuts[i] : cuts[0] == 1 ? 9 : 75;
        MambaCall part = part_of(whole, done, count, state);
        const MambaReference of_part = mamba_reference(part);
        const Outcome outcome = run(name, part);
        ASSERT_EQ(outcome.status, BKR_OK) << outcome.text;
        expect_results(part, of_part, name + " from " + std::to_string(done));
        if (HasFatalFailure()) return;
        state = part.state();
        done += count;
      }
      MambaCall end = whole;
      end.state() = state;
      const std::vector<double> got = numbers_of(state);
      for (std::size_t i = 0; i < got.size(); ++i) {
        if (std::isnan(got[i]) && std::isnan(reference.state[i])) continue;
        ASSERT_NEAR(got[i], reference.state[i], 1e-5 * std::max(1.0, reference.largest)) << name << " " << i;
      }
    }
  }
}

TEST_P(MambaRandom, ChunksEqualTheRecurrence) {
  for (const std::string name : {"MAMBA2", "LINEAR", "GDN_ATTN"}) {
    MambaKind kind;
    kind.member = name;
    kind.tokens = {150, 20};
    kind.heads = 4;
    kind.groups = 2;
    kind.values = 20;
    kind.keys = 24;
    kind.chunk_size = 1;
    MambaCall recurrent(kind);
    ASSERT_EQ(run(name, recurrent).status, BKR_OK);
    const std::vector<double> expected = numbers_of(recurrent.at("out"));
    double largest = 1.0;
    for (const double x : expected) largest = std::max(largest, std::fabs(x));
    for (const int32_t chunk_size : {0, 2, 7, 64, 128, 100000}) {
      kind.chunk_size = chunk_size;
      MambaCall chunked(kind);
      ASSERT_EQ(run(name, chunked).status, BKR_OK);
      const std::vector<double> got = numbers_of(chunked.at("out"));
      for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], 5e-6 * largest) << name << " " << i;
    }
  }
}

// Queries times keys are beyond float32, or nothing, where keys times values are not.
TEST_P(MambaRandom, ChunksEqualTheRecurrenceAlsoWhereQueryTimesKeyIsBeyondFloat32) {
  struct Sizes {
    double query, key, value;
  };
  for (const auto &[name, query, key, value] :
       {std::tuple{"MAMBA2", "C", "B", "x"}, {"LINEAR", "query", "key", "value"}}) {
    for (const Sizes sizes : {Sizes{1e20, 1e20, 1e-20}, {1e-25, 1e-25, 1e25}, {1e30, 1e-30, 1.0}, {1e-22, 1e22, 1e3}}) {
      MambaKind kind;
      kind.member = name;
      kind.tokens = {70, 9};
      kind.values = 12;
      kind.keys = 20;
      kind.options = false;  // D and z would outshine the state
      MambaCall call(kind);
      const auto scale = [&](const char *tensor, double by) {
        const std::vector<double> numbers = numbers_of(call.at(tensor));
        std::size_t i = 0;
        call.at(tensor).fill([&] { return numbers[i++] * by; });
      };
      scale(query, sizes.query);
      scale(key, sizes.key);
      scale(value, sizes.value);
      const std::vector<double> state = numbers_of(call.state());
      std::size_t i = 0;
      call.state().fill([&] { return state[i++] * sizes.key * sizes.value; });
      const MambaReference reference = mamba_reference(call);
      ASSERT_EQ(run(name, call).status, BKR_OK);
      double largest = 0.0;
      for (const double x : reference.out) largest = std::max(largest, std::fabs(x));
      const std::vector<double> out = numbers_of(call.at("out"));
      for (std::size_t e = 0; e < out.size(); ++e) {
        ASSERT_NEAR(out[e], reference.out[e], 2e-5 * largest) << name << " " << sizes.query << " " << e;
      }
    }
  }
}

// A step and a value within float32 whose product is not.
TEST_P(MambaRandom, AStepThatOverflowsCannotHarmTokensBefore) {
  MambaKind kind;
  kind.member = "MAMBA2";
  kind.tokens = {40};
  kind.options = false;
  MambaCall call(kind);
  const MambaReference reference = mamba_reference(call);
  const auto set_token_30 = [&](const char *name, double value) {
    std::vector<double> numbers = numbers_of(call.at(name));
    const std::size_t of_token = numbers.size() / 40;
    std::size_t i = 0;
    call.at(name).fill([&] { return i / of_token == 30 ? (++i, value) : numbers[i++]; });
  };
  set_token_30("x", 3e38);
  set_token_30("dt", 4.0);
  ASSERT_EQ(run("MAMBA2", call).status, BKR_OK);
  const std::vector<double> out = numbers_of(call.at("out"));
  for (std::size_t e = 0; e < out.size() / 40 * 30; ++e) ASSERT_NEAR(out[e], reference.out[e], 1e-4) << e;
}

TEST_P(MambaRandom, ATokenThatIsNoNumberCannotHarmThoseBefore) {
  for (const auto &[name, tensor] :
       {std::pair{"MAMBA1", "x"}, std::pair{"MAMBA2", "x"}, std::pair{"MAMBA2", "B"}, std::pair{"MAMBA2", "dt"},
        std::pair{"LINEAR", "value"}, std::pair{"LINEAR", "key"}, std::pair{"GDN_ATTN", "key"},
        std::pair{"GDN_ATTN", "b"}}) {
    MambaKind kind;
    kind.member = name;
    kind.tokens = {60};
    MambaCall call(kind);
    const MambaReference reference = mamba_reference(call);
    StridedTensor &spoilt = call.at(tensor);
    const int64_t of_token = static_cast<int64_t>(numbers_of(spoilt).size()) / 60;
    std::vector<double> numbers = numbers_of(spoilt);
    for (int64_t i = 0; i < of_token; ++i) numbers[static_cast<std::size_t>(41 * of_token + i)] = NAN;
    spoilt.with(numbers);
    ASSERT_EQ(run(name, call).status, BKR_OK);
    const std::vector<double> out = numbers_of(call.at("out"));
    for (std::size_t i = 0; i < out.size() / 60 * 41; ++i) ASSERT_NEAR(out[i], reference.out[i], 1e-4) << name << i;
    EXPECT_TRUE(std::isnan(out.back())) << name << " " << tensor;
  }
}

BKR_WITH_EVERY_CPU_MAMBA(MambaRandom);

}  // namespace
}  // namespace bkr::test
