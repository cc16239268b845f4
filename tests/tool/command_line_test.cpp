// SPDX-License-Identifier: Apache-2.0
#include <backend_registry/version.h>

#include "bkr_fixture.h"

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class CommandLineTest : public BkrTest {};

TEST_F(CommandLineTest, HelpHasCommandsExamplesAndExitCodes) {
  const Finished helped = bkr({"--help"});
  EXPECT_EQ(helped.exit_code, 0);
  EXPECT_THAT(helped.out,
              AllOf(HasSubstr("list"), HasSubstr("show"), HasSubstr("why"), HasSubstr("scan"), HasSubstr("inspect"),
                    HasSubstr("run"), HasSubstr("Examples:"), HasSubstr("Exit codes:"), HasSubstr("BKR_PLUGIN_PATH")));
  EXPECT_EQ(helped.err, "");
  for (const char *command : {"list", "show", "why", "scan", "select", "inspect", "run"}) {
    EXPECT_EQ(bkr({command, "--help"}).exit_code, 0) << command;
  }
}

TEST_F(CommandLineTest, VersionIsThatOfTheLibrary) {
  const Finished told = bkr({"--version"});
  EXPECT_EQ(told.exit_code, 0);
  EXPECT_THAT(told.out, HasSubstr("bkr " BKR_VERSION));
}

TEST_F(CommandLineTest, AWrongCommandLineEndsWith2) {
  for (const auto &arguments : std::vector<std::vector<std::string>>{{},
                                                                     {"nope"},
                                                                     {"list", "--nope"},
                                                                     {"list", "a", "b"},
                                                                     {"show"},
                                                                     {"inspect"},
                                                                     {"select"},
                                                                     {"select", "attention", "--fact", "head_size"},
                                                                     {"select", "attention", "--fact", "=128"},
                                                                     {"select", "attention", "mamba"},
                                                                     {"run", "attention.CPU_ATTN"}}) {
    const Finished refused = bkr(arguments);
    EXPECT_EQ(refused.exit_code, 2) << ::testing::PrintToString(arguments);
    EXPECT_EQ(refused.out, "");
    EXPECT_THAT(refused.err, HasSubstr("--help"));
  }
}

TEST_F(CommandLineTest, AnAnswerThatCannotBeWrittenIsAFailure) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const Finished listed = run_program({program().string(), "list"}, {}, scratch(), "/dev/full");
  EXPECT_EQ(listed.exit_code, 1);
  EXPECT_THAT(listed.err, HasSubstr("could not be written"));
}

}  // namespace
