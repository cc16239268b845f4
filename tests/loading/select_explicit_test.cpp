// SPDX-License-Identifier: Apache-2.0
// bkr_select() with an explicit choice, the host's or the environment's: that one or none.
#include "choosy.h"

namespace loading {
namespace {

class SelectExplicit : public testing::Test {
 protected:
  SelectExplicit() {
    dir.drop(choosy("A"), "a.so");
    dir.drop(choosy("B"), "b.so");
  }
  const TempDir dir;
  Choosy plugins;
};

TEST_F(SelectExplicit, TheHostsChoiceIsTakenWhateverTheCandidatesAre) {
  const Registry registry(dir);
  const Selected selected = select(registry, {{}, {"A"}, "B"});
  ASSERT_TRUE(ok(selected.answer));
  EXPECT_EQ(selected.choice, "B");
  EXPECT_EQ(selected.verdicts(), "B chosen");
  EXPECT_EQ(selected.report["explicit"], "B");
  EXPECT_TRUE(selected.report["variable"].is_null());
}

TEST_F(SelectExplicit, AChoiceThatIsRefusedIsNotReplaced) {
  const Registry registry(dir);
  plugins.objects("B", {"head_size not supported", "MLA not supported"});
  const Selected selected = select(registry, {{{"head_size", "72"}}, {"A"}, "B"});
  EXPECT_TRUE(failed(selected.answer, BKR_CHOICE_REFUSED, BKR_STAGE_NONE,
                     {"Selected backend B is not valid for this configuration. Reason: [head_size not supported, MLA "
                      "not supported]",
                      "explicit_name"}));
  EXPECT_EQ(selected.choice, "");
  EXPECT_EQ(selected.verdicts(), "B turned down");
  EXPECT_EQ(selected.report["status"], "BKR_CHOICE_REFUSED");
  EXPECT_EQ(mapped_in(dir).size(), 1u);
}

TEST_F(SelectExplicit, AChoiceThatCannotBeLoadedIsRefusedWithItsStatus) {
  dir.drop(built("needs_missing").named("NEEDS"), "needs.so");
  const Registry registry(dir);
  const Selected selected = select(registry, {{}, {"A"}, "NEEDS"});
  EXPECT_TRUE(failed(selected.answer, BKR_CHOICE_REFUSED, BKR_STAGE_LOAD,
                     {"Selected backend NEEDS is not valid", "Reason: [BKR_DEPENDENCY_MISSING: ", "libmissing.so",
                      "Install libmissing.so"}));
  EXPECT_TRUE(has(selected.reasons("NEEDS").at(0), {"BKR_DEPENDENCY_MISSING: ", "Install libmissing.so"}));
  EXPECT_TRUE(failed(select(registry, {{}, {"A"}, "FLASH_ATTN"}).answer, BKR_CHOICE_REFUSED, BKR_STAGE_NONE,
                     {"[BKR_NOT_FOUND: ", dir.path()}));
}

TEST_F(SelectExplicit, TheEnvironmentsChoiceCountsWhereTheHostMadeNone) {
  const Variable variable("BKR_SELECT_ATTENTION", "B");
  const Registry registry(dir);
  for (const char *none : {static_cast<const char *>(nullptr), "", "auto", "Auto", "AUTO"}) {
    const Selected selected = select(registry, {{}, {"A"}, none});
    EXPECT_EQ(selected.choice, "B");
    EXPECT_EQ(selected.report["explicit"], "B");
    EXPECT_EQ(selected.report["variable"], "BKR_SELECT_ATTENTION");
  }
  EXPECT_EQ(select(registry, {{}, {}, "A"}).choice, "A");
  plugins.objects("B", {"MLA not supported"});
  EXPECT_TRUE(failed(select(registry, {{{"use_mla", "1"}}, {"A"}}).answer, BKR_CHOICE_REFUSED, BKR_STAGE_NONE,
                     {"Selected backend B is not valid", "[MLA not supported]", "BKR_SELECT_ATTENTION"}));
}

TEST_F(SelectExplicit, TheEnvironmentIsReadAtOpenAndRescanAlone) {
  const Registry registry(dir);
  {
    const Variable variable("BKR_SELECT_ATTENTION", "B");
    EXPECT_EQ(select(registry).choice, "A");
    ASSERT_TRUE(ok(registry.rescan()));
    EXPECT_EQ(select(registry).choice, "B");
  }
  EXPECT_EQ(select(registry).choice, "B");
  const Variable variable("BKR_SELECT_ATTENTION", "aUtO");
  ASSERT_TRUE(ok(registry.rescan()));
  EXPECT_EQ(select(registry).choice, "A");
}

TEST_F(SelectExplicit, TheEnvironmentsChoiceIsInTheReportAsUsed) {
  const Variable variable("BKR_SELECT_ATTENTION", "B");
  const Variable misspelt("BKR_SELECT_ATENTION", "B");
  const Registry registry(dir);
  std::string states;
  const Json report = registry.report();
  for (const Json &used : report["environment"]) {
    states += used["name"].get<std::string>() + " " + used["state"].get<std::string>() + "; ";
  }
  EXPECT_TRUE(has(states, {"BKR_SELECT_ATTENTION used", "BKR_SELECT_ATENTION unknown"}));
  EXPECT_EQ(registry.logged({"BKR_SELECT_ATENTION is set but means nothing; did you mean BKR_SELECT_ATTENTION?"}), 1);
}

TEST_F(SelectExplicit, TheEnvironmentCountsForNothingWhereTheHostSaysSo) {
  const Variable variable("BKR_SELECT_ATTENTION", "B");
  const Registry registry(Configuration{{dir.path()}, BKR_CONFIG_NO_ENVIRONMENT});
  EXPECT_EQ(select(registry).choice, "A");
}

TEST_F(SelectExplicit, AnAddedFamilyHasItsVariableToo) {
  dir.drop(choosy("GREEDY").with_family("token_sampler"), "greedy.so");
  dir.drop(choosy("BEAM").with_family("token_sampler"), "later.so");
  const Variable variable("BKR_SELECT_TOKEN_SAMPLER", "BEAM");
  const Registry registry(dir);
  ASSERT_EQ(bkr_family_add(registry.get(), "token_sampler", "sampler", nullptr, nullptr), BKR_OK);
  EXPECT_EQ(select(registry, {{}, {}, nullptr, "token_sampler"}).choice, "BEAM");
}

TEST_F(SelectExplicit, ANameThatThereIsNotIsAnErrorWhoeverGaveIt) {
  const Registry registry(dir);
  EXPECT_TRUE(failed(select(registry, {{}, {}, "C"}).answer, BKR_UNKNOWN_NAME, BKR_STAGE_NONE,
                     {"Unknown attention backend: 'C'. Valid options are: "}));
  EXPECT_TRUE(failed(select(registry, {{}, {"A", "cpu_attn"}}).answer, BKR_UNKNOWN_NAME, BKR_STAGE_NONE,
                     {"Unknown attention backend: 'cpu_attn'", "CPU_ATTN"}));
  EXPECT_TRUE(plugins.calls().empty());
  const Variable variable("BKR_SELECT_ATTENTION", "flash_attn");
  ASSERT_TRUE(ok(registry.rescan()));
  EXPECT_TRUE(
      failed(select(registry).answer, BKR_UNKNOWN_NAME, BKR_STAGE_NONE,
             {"Unknown attention backend: 'flash_attn'", "Did you mean 'FLASH_ATTN'?", "BKR_SELECT_ATTENTION"}));
}

TEST_F(SelectExplicit, AMemberWithoutAPathIsAnErrorWhereItIsNamedAndNoCandidateElsewhere) {
  const Registry registry(dir);
  for (const char *name : {"CUSTOM", "TORCH_SDPA"}) {
    const std::string text = std::string("Backend ") + name + " must be registered before use.";
    EXPECT_TRUE(
        failed(select(registry, {{}, {}, name}).answer, BKR_NOT_REGISTERED, BKR_STAGE_NONE, {text, "override"}));
    EXPECT_TRUE(failed(select(registry, {{}, {"A", name}}).answer, BKR_NOT_REGISTERED, BKR_STAGE_NONE, {text}));
  }
  EXPECT_TRUE(plugins.calls().empty());
  EXPECT_EQ(select(registry).verdicts(), "A chosen, B not tried");
}

}  // namespace
}  // namespace loading
