// SPDX-License-Identifier: Apache-2.0
// Recorded cases: how they are read, and run.
#include "case.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include "case_run.h"
#include "plugin_under_test.h"

namespace bkr::test {
namespace {

using nlohmann::json;
using tool::CaseError;

json small_case() {
  return json::parse(R"({
    "interface": "bkr.attention/1",
    "params": {"scale": 1.0, "attn_type": "encoder"},
    "tensors": {
      "query": {"dtype": "float32", "shape": [1, 1, 2], "data": [1, 2]},
      "key": {"dtype": "float32", "shape": [1, 1, 2], "data": [3, 4]},
      "value": {"dtype": "float32", "shape": [1, 1, 2], "data": [5, 6.5]},
      "query_start_loc": {"dtype": "int32", "shape": [2], "data": [0, 1]}},
    "expected": {"out": {"dtype": "float32", "shape": [1, 1, 2], "data": [5, 6.5]}},
    "tolerance": {"absolute": 1e-6, "relative": 0}})");
}

std::string refusal(const json &document) {
  try {
    tool::parse_case(document.dump());
  } catch (const CaseError &failure) {
    return failure.what();
  }
  return "accepted";
}

TEST(Case, IsReadWithItsTensors) {
  const tool::Case read = tool::parse_case(small_case().dump());
  EXPECT_EQ(read.interface_id, "bkr.attention/1");
  EXPECT_EQ(read.tensors.at("value").number(1), 6.5);
  EXPECT_EQ(read.tensors.at("query_start_loc").type().name, "int32");
  EXPECT_EQ(read.tolerance.absolute, 1e-6);
}

TEST(Case, NumbersThatJsonLacksAreWords) {
  json document = small_case();
  document["tensors"]["value"]["data"] = {"nan", "-inf"};
  const tool::Case read = tool::parse_case(document.dump());
  EXPECT_TRUE(std::isnan(read.tensors.at("value").number(0)));
  EXPECT_EQ(read.tensors.at("value").number(1), -std::numeric_limits<double>::infinity());
}

TEST(Case, ErrorsNameWhatIsWrong) {
  const auto with = [](const char *pointer, const json &value) {
    json document = small_case();
    document[json::json_pointer(pointer)] = value;
    return refusal(document);
  };
  EXPECT_EQ(with("/tensors/query/data", {1}), "tensors.query: data has 1 numbers, but shape [1,1,2] needs 2");
  EXPECT_EQ(with("/tensors/query/dtype", "float8"),
            "tensors.query: dtype is \"float8\"; it must be one of float32, float16, bfloat16, int32, int64");
  EXPECT_EQ(with("/tensors/query/shape", {1, -1, 2}), "tensors.query: shape [1,-1,2] has a size that is none");
  EXPECT_EQ(with("/tensors/query/shape", {1 << 20, 1 << 20}),
            "tensors.query: shape [1048576,1048576] is too large for a case");
  EXPECT_EQ(with("/tensors/query/data/1", "two"), "tensors.query: data[1] is \"two\", which is no float32");
  EXPECT_EQ(with("/tensors/query_start_loc/data/1", 0.5), "tensors.query_start_loc: data[1] is 0.5, which is no int32");
  EXPECT_EQ(with("/expected/out", 1), "expected.out is no object");
  EXPECT_EQ(with("/tolerance/absolute", -1), "tolerance.absolute is -1; it must be a number, 0 or more");
  json document = small_case();
  document.erase("interface");
  EXPECT_EQ(refusal(document), "the case has no \"interface\"");
  EXPECT_NE(refusal(json(3)).find("no JSON object"), std::string::npos);
}

TEST(Case, FilesThatAreNotThereSaySo) {
  try {
    tool::read_case_file("/nonexistent/case.json");
    FAIL();
  } catch (const CaseError &failure) {
    EXPECT_NE(std::string(failure.what()).find("/nonexistent/case.json"), std::string::npos) << failure.what();
  }
}

TEST(Case, DifferencesAreMeasuredPlaceByPlace) {
  const tool::NumberType &type = *tool::find_number_type("float32");
  tool::CaseTensor expected(type, {2, 2});
  tool::CaseTensor actual(type, {2, 2});
  const double wanted[] = {0, 1, 100, NAN};
  const double got[] = {0.25, 1, 101, NAN};
  for (int64_t i = 0; i < 4; ++i) expected.set_number(i, wanted[i]), actual.set_number(i, got[i]);
  const tool::Difference found = tool::compare("out", actual, expected, {0.125, 0.02});
  EXPECT_EQ(found.largest_absolute, 1.0);
  EXPECT_EQ(found.place_absolute, (std::vector<int64_t>{1, 0}));
  EXPECT_DOUBLE_EQ(found.largest_relative, 0.01);
  EXPECT_EQ(found.place_relative, (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(found.beyond, 1) << "0.25 where 0.125 is allowed";
  actual.set_number(3, 1);
  EXPECT_EQ(tool::compare("out", actual, expected, {10, 10}).beyond, 1) << "a number where NaN should be";
}

class CaseRun : public CpuAttn {
 protected:
  std::string refusal(const json &document) {
    try {
      tool::run_case(backend(), tool::parse_case(document.dump()));
    } catch (const CaseError &failure) {
      return failure.what();
    }
    return "accepted";
  }
};

void expect_cases_pass(bkr_backend *backend, const char *folder, int least) {
  int count = 0;
  for (const auto &file : std::filesystem::directory_iterator(BKR_CASES "/" + std::string(folder))) {
    const tool::CaseResult result = tool::run_case(backend, tool::read_case_file(file.path().string()));
    ASSERT_FALSE(result.differences.empty());
    for (const tool::Difference &difference : result.differences) {
      EXPECT_EQ(difference.beyond, 0) << file.path() << " " << difference.tensor << ": " << difference.largest_absolute;
      EXPECT_GT(difference.elements, 0);
    }
    ++count;
  }
  EXPECT_GE(count, least);
}

TEST_P(CaseRun, EveryRecordedCasePasses) { expect_cases_pass(backend(), "attention", 5); }

TEST_P(CaseRun, AWrongRecordIsSeen) {
  json document = small_case();
  document["expected"]["out"]["data"][1] = 6.25;
  const tool::CaseResult result = tool::run_case(backend(), tool::parse_case(document.dump()));
  EXPECT_FALSE(result.passed());
  EXPECT_EQ(result.differences.at(0).largest_absolute, 0.25);
}

TEST_P(CaseRun, ErrorsSayWhatTheCaseAskedFor) {
  json document = small_case();
  document["interface"] = "bkr.teleport/1";
  EXPECT_NE(refusal(document).find("bkr.teleport/1"), std::string::npos) << refusal(document);
  document = small_case();
  document["params"]["windowleft"] = 3;
  EXPECT_NE(refusal(document).find("params.windowleft is not known"), std::string::npos) << refusal(document);
  document = small_case();
  document["params"]["attn_type"] = "sideways";
  EXPECT_NE(refusal(document).find("decoder, encoder, encoder_only, encoder_decoder"), std::string::npos);
  document = small_case();
  document["tensors"].erase("value");
  EXPECT_EQ(refusal(document), "forward: BKR_INVALID_ARGUMENT: value is NULL");
  document = small_case();
  document["params"].erase("scale");
  EXPECT_EQ(refusal(document), "params has no \"scale\"");
  document = small_case();
  document["expected"]["lse"] = document["expected"]["out"];
  EXPECT_EQ(refusal(document), "expected.lse is nothing that this case computes");
}

BKR_WITH_EVERY_CPU_ATTN(CaseRun);

using LatentCaseRun = CpuMla;
TEST_P(LatentCaseRun, EveryRecordedCasePasses) { expect_cases_pass(backend(), "cpu_mla", 2); }
BKR_WITH_EVERY_CPU_ATTN(LatentCaseRun);

using NoAttentionCaseRun = NoAttention;
TEST_P(NoAttentionCaseRun, EveryRecordedCasePasses) { expect_cases_pass(backend(), "no_attention", 1); }
BKR_WITH_EVERY_CPU_ATTN(NoAttentionCaseRun);

class PrefillCaseRun : public MlaPrefill {
 protected:
  std::string refusal(const json &document) {
    try {
      tool::run_case(backend(), tool::parse_case(document.dump()));
    } catch (const CaseError &failure) {
      return failure.what();
    }
    return "accepted";
  }
};

TEST_P(PrefillCaseRun, EveryRecordedCasePasses) { expect_cases_pass(backend(), "mla_prefill", 3); }

TEST_P(PrefillCaseRun, ErrorsSayWhatTheCaseAskedFor) {
  const json recorded = json::parse(std::ifstream(BKR_CASES "/mla_prefill/causal.json"));
  const auto with = [&](auto change) {
    json document = recorded;
    change(document);
    return refusal(document);
  };
  EXPECT_EQ(with([](json &) {}), "accepted");
  EXPECT_EQ(with([](json &d) { d["params"].erase("scale"); }), "params has no \"scale\"");
  EXPECT_EQ(with([](json &d) { d["params"].erase("function"); }),
            "params has no \"function\"; it must be prefill or merge");
  EXPECT_NE(with([](json &d) { d["params"]["function"] = "split"; }).find("prefill, merge"), std::string::npos);
  EXPECT_NE(with([](json &d) { d["params"]["softcap"] = 1; }).find("params.softcap is not known"), std::string::npos);
  EXPECT_EQ(with([](json &d) { d["tensors"].erase("query"); }), "tensors has no \"query\"");
  EXPECT_EQ(with([](json &d) { d["tensors"].erase("key"); }), "prefill: BKR_INVALID_ARGUMENT: key is NULL");
}

BKR_WITH_EVERY_CPU_ATTN(PrefillCaseRun);

}  // namespace
}  // namespace bkr::test
