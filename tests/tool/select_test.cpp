// SPDX-License-Identifier: Apache-2.0
// select.
#include "bkr_fixture.h"

namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class SelectTest : public BkrTest {};

TEST_F(SelectTest, TellsWhoServesTheFactsAndWhoWasNotTried) {
  drop("quiet", "quiet.so");
  const Finished told = bkr({"select", "attention", "--fact", "head_size=128", "--fact", "dtype=a=b"});
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_THAT(told.out, AllOf(HasSubstr("attention with head_size=128, dtype=a=b\nServed by QUIET\n"),
                              ContainsRegex("CANDIDATE +VERDICT +REASONS\n +QUIET +chosen\n")));
}

TEST_F(SelectTest, GivesEachReasonOfThoseTurnedDownAndWhatToDo) {
  drop("quiet", "quiet.so");
  const Finished told = bkr({"select", "--candidates", "CPU_ATTN,CPU_MLA", "attention"});
  EXPECT_EQ(told.exit_code, 1);
  EXPECT_THAT(told.out,
              AllOf(HasSubstr("attention with nothing in particular\nNobody serves that (BKR_NO_VALID_BACKEND)\n"),
                    ContainsRegex("CPU_ATTN +turned down +BKR_NOT_FOUND: "),
                    ContainsRegex("CPU_MLA +turned down +BKR_NOT_FOUND: "), HasSubstr(plugin_dir().string()),
                    HasSubstr("What to do"), Not(HasSubstr("QUIET"))));
  const Finished missing = bkr({"select", "mla_prefill"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.out, AllOf(HasSubstr("Nobody serves that"), Not(HasSubstr("CANDIDATE")), HasSubstr("bkr scan")));
}

TEST_F(SelectTest, TellsAChoiceThatTheEnvironmentMade) {
  drop("quiet", "quiet.so");
  const Finished told = bkr({"select", "attention"}, {{"BKR_SELECT_ATTENTION", "CPU_ATTN"}});
  EXPECT_EQ(told.exit_code, 1);
  EXPECT_THAT(told.out, AllOf(HasSubstr("CPU_ATTN was chosen beforehand, by BKR_SELECT_ATTENTION\n"),
                              HasSubstr("(BKR_CHOICE_REFUSED)"), Not(HasSubstr("QUIET"))));
}

TEST_F(SelectTest, AsJsonIsTheLibrarysReport) {
  drop("quiet", "quiet.so");
  const auto report = bkr_json({"select", "attention", "--fact", "a=1", "--candidates", "FLASH_ATTN,QUIET"});
  EXPECT_EQ(report["family"], "attention");
  EXPECT_EQ(report["facts"]["a"], "1");
  EXPECT_EQ(report["choice"], "QUIET");
  ASSERT_EQ(report["candidates"].size(), 2u);
  EXPECT_EQ(report["candidates"][0]["verdict"], "turned down");
  const Finished refused = bkr({"select", "mamba", "--json"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_EQ(nlohmann::ordered_json::parse(refused.out)["choice"], nullptr);
}

TEST_F(SelectTest, ANameThatThereIsNotIsTold) {
  const Finished family = bkr({"select", "atention"});
  EXPECT_EQ(family.exit_code, 1);
  EXPECT_THAT(family.err, HasSubstr("Unknown family: 'atention'"));
  const Finished name = bkr({"select", "attention", "--candidates", "NOBODY"});
  EXPECT_EQ(name.exit_code, 1);
  EXPECT_THAT(name.err, HasSubstr("Unknown attention backend: 'NOBODY'"));
}

#if defined(BKR_TEST_CPU_ATTN)
// As the README has it.
TEST_F(SelectTest, TheReadmesQuestionIsServedByCpuAttn) {
  std::filesystem::copy_file(BKR_TEST_CPU_ATTN, plugin_dir() / "cpu_attn.so");
  const Finished told = bkr({"select", "attention", "--fact", "head_size=128", "--fact", "dtype=bfloat16"});
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("Served by CPU_ATTN\n"));
  const Finished refused = bkr({"select", "attention", "--fact", "head_size=72", "--fact", "use_mla=1"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.out, ContainsRegex("CPU_ATTN +turned down +head_size not supported\n +MLA not supported\n"));
}
#endif

}  // namespace
