// SPDX-License-Identifier: Apache-2.0
// Recorded cases of bkr.mamba/1.
#include <filesystem>
#include <set>

#include "case_run.h"
#include "mamba_under_test.h"

namespace bkr::test {
namespace {

namespace fs = std::filesystem;

class MambaCase : public CpuMamba {
 protected:
  static tool::Case read(const char *name) { return tool::read_case_file(std::string(BKR_MAMBA_CASES) + "/" + name); }

  std::string refusal(const char *member_name, const tool::Case &recorded) {
    try {
      tool::run_case(member(member_name).backend.handle(), recorded);
    } catch (const tool::CaseError &failure) {
      return failure.what();
    }
    return "accepted";
  }
};

TEST_P(MambaCase, EveryRecordedCasePasses) {
  std::set<std::string> members;
  for (const auto &file : fs::directory_iterator(BKR_MAMBA_CASES)) {
    const std::string name = file.path().stem().stem().string();
    members.insert(name);
    const tool::CaseResult result =
        tool::run_case(member(name).backend.handle(), tool::read_case_file(file.path().string()));
    ASSERT_EQ(result.differences.size(), 2U) << "out and the state";
    for (const tool::Difference &difference : result.differences) {
      EXPECT_EQ(difference.beyond, 0) << file.path() << " " << difference.tensor << ": " << difference.largest_absolute;
      EXPECT_GT(difference.elements, 0);
    }
  }
  EXPECT_EQ(members.size(), 5U) << "one or more for each member";
}

TEST_P(MambaCase, AWrongRecordIsSeen) {
  tool::Case recorded = read("MAMBA2.scan.json");
  recorded.expected.at("state").set_number(0, 77.0);
  const tool::CaseResult result = tool::run_case(member("MAMBA2").backend.handle(), recorded);
  EXPECT_FALSE(result.passed());
}

TEST_P(MambaCase, ErrorsSayWhatTheCaseAskedFor) {
  tool::Case recorded = read("LINEAR.ragged.json");
  EXPECT_EQ(refusal("MAMBA1", recorded), "linear_attention: BKR_UNSUPPORTED: MAMBA1_ATTN has no linear_attention");
  recorded.params["function"] = "sing";
  EXPECT_EQ(refusal("LINEAR", recorded),
            "params.function is \"sing\"; it must be one of causal_conv1d, selective_scan, linear_attention, "
            "gated_delta_rule");
  recorded.params.erase("function");
  EXPECT_EQ(refusal("LINEAR", recorded), "params has no \"function\"");
  recorded = read("LINEAR.ragged.json");
  recorded.params["dt_softplus"] = true;
  EXPECT_NE(refusal("LINEAR", recorded).find("params.dt_softplus is not known"), std::string::npos);
  recorded = read("LINEAR.ragged.json");
  recorded.tensors.erase("slopes");
  EXPECT_EQ(refusal("LINEAR", recorded), "linear_attention: BKR_INVALID_ARGUMENT: slopes is NULL");
  recorded.tensors.erase("value");
  EXPECT_EQ(refusal("LINEAR", recorded), "tensors has no \"value\"");
}

BKR_WITH_EVERY_CPU_MAMBA(MambaCase);

}  // namespace
}  // namespace bkr::test
