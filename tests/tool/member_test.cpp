// SPDX-License-Identifier: Apache-2.0
// show and why.
#include "bkr_fixture.h"

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class MemberTest : public BkrTest {};

TEST_F(MemberTest, ShowTellsWhereADefaultLeads) {
  const auto file = drop("quiet", "quiet.so");
  const Finished shown = bkr({"show", "attention.QUIET"});
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_THAT(shown.out,
              AllOf(HasSubstr("example.tool.Quiet"), HasSubstr("overridden by  nothing"), HasSubstr(file.string()),
                    HasSubstr("create_backend"), HasSubstr("org.example.quiet 0.1.2"), HasSubstr("bkr.attention/1")));
}

TEST_F(MemberTest, ShowAsJsonHasTheVersionToo) {
  drop("quiet", "quiet.so");
  const auto shown = bkr_json({"show", "attention.QUIET"});
  EXPECT_EQ(shown["plugin_version"], "0.1.2");
  EXPECT_EQ(shown["decided_by"], "default");
  EXPECT_EQ(shown["provider"], "record");
}

TEST_F(MemberTest, ShowOfANameWithoutProviderFailsAndPointsToWhy) {
  const Finished shown = bkr({"show", "attention.CPU_ATTN"});
  EXPECT_EQ(shown.exit_code, 1);
  EXPECT_THAT(shown.out, AllOf(HasSubstr("BKR_NOT_FOUND"), HasSubstr("bkr why attention.CPU_ATTN")));
}

TEST_F(MemberTest, WhyTellsEachCandidateWithItsReasonAndTheTarget) {
  const auto file = drop("quiet", "quiet.so");
  const Finished told = bkr({"why", "attention.QUIET"});
  EXPECT_EQ(told.exit_code, 0);
  EXPECT_THAT(told.out, AllOf(HasSubstr("the default; nothing overrides it"), HasSubstr("1. " + file.string()),
                              HasSubstr("passed over: "), HasSubstr("no-such-cpu"), HasSubstr("2. " + file.string()),
                              HasSubstr("chosen"), HasSubstr("It leads to")));
}

TEST_F(MemberTest, WhyWithoutProviderListsEveryPlaceAndSaysWhatToDo) {
  const Finished told = bkr({"why", "attention.CPU_ATTN"}, {{"BKR_PLUGIN_PATH", "/no/such:" + plugin_dir().string()}});
  EXPECT_EQ(told.exit_code, 1);
  EXPECT_THAT(told.out, AllOf(HasSubstr("It leads nowhere (BKR_NOT_FOUND)"), HasSubstr("/no/such"),
                              HasSubstr("missing"), HasSubstr(plugin_dir().string()), HasSubstr("What to do")));
  EXPECT_EQ(told.err, "");
}

TEST_F(MemberTest, WhyAsJsonIsTheExplainDocument) {
  drop("quiet", "quiet.so");
  const auto trace = bkr_json({"why", "attention.QUIET"});
  EXPECT_EQ(trace["family"], "attention");
  EXPECT_EQ(trace["member"], "QUIET");
  EXPECT_EQ(trace["path"]["decided_by"], "default");
  ASSERT_EQ(trace["candidates"].size(), 2u);
  EXPECT_EQ(trace["candidates"][0]["verdict"], "passed over");
  EXPECT_EQ(trace["candidates"][1]["verdict"], "chosen");
  EXPECT_EQ(trace["target"]["symbol"], "create_backend");
  EXPECT_EQ(trace["status"], "BKR_OK");
}

TEST_F(MemberTest, S6WhyNamesTheVariableAndTheMissingFile) {
  const std::string missing = (scratch() / "missing.so").string();
  const Variables variables = {{"BKR_OVERRIDE_ATTENTION_CUSTOM", missing}};
  const Finished told = bkr({"why", "attention.CUSTOM"}, variables);
  EXPECT_EQ(told.exit_code, 1);
  EXPECT_THAT(told.out, AllOf(HasSubstr("BKR_OVERRIDE_ATTENTION_CUSTOM"), HasSubstr(missing),
                              HasSubstr("BKR_NOT_FOUND"), HasSubstr("does not exist")));
  EXPECT_EQ(bkr_json({"why", "attention.CUSTOM"}, variables)["status"], "BKR_NOT_FOUND");
}

TEST_F(MemberTest, AFileThatOnlyAPathNamesIsReadToTellWhatItHolds) {
  const auto file = scratch() / "elsewhere.so";
  write_bytes(file, plugin_bytes("quiet"));
  const Variables variables = {{"BKR_OVERRIDE_ATTENTION_CUSTOM", file.string()}};
  const auto shown = bkr_json({"show", "mamba.CUSTOM"}, {{"BKR_OVERRIDE_MAMBA_CUSTOM", file.string()}});
  EXPECT_EQ(shown["status"], "BKR_OK");
  EXPECT_EQ(shown["plugin_id"], "org.example.quiet");
  EXPECT_EQ(shown["backend_name"], "CUSTOM");
  EXPECT_EQ(shown["loaded"], "not looked at yet");
  // Two of its records are for attention, none of them called CUSTOM: loading would not know which.
  EXPECT_EQ(bkr_json({"show", "attention.CUSTOM"}, variables)["status"], "BKR_BAD_PATH");
}

TEST_F(MemberTest, AFileThatIsNoPluginIsNoProvider) {
  const auto file = scratch() / "bare.so";
  write_bytes(file, plugin_bytes("bare"));
  const Finished told = bkr({"why", "attention.CUSTOM"}, {{"BKR_OVERRIDE_ATTENTION_CUSTOM", file.string()}});
  EXPECT_EQ(told.exit_code, 1);
  EXPECT_THAT(told.out, AllOf(HasSubstr("BKR_SYMBOL_MISSING"), HasSubstr("create_backend")));
}

TEST_F(MemberTest, AnUnknownNameIsAnsweredOnceInTheLibrarysWordsWhole) {
  const Finished shown = bkr({"show", "attention.NOPE"});
  EXPECT_EQ(shown.exit_code, 1);
  EXPECT_EQ(shown.out, "");
  const std::string text = "Unknown attention backend: 'NOPE'. Valid options are: FLASH_ATTN, ";
  EXPECT_THAT(shown.err, AllOf(HasSubstr(text), HasSubstr("ULTRAQUANT, CUSTOM\n")));
  EXPECT_EQ(shown.err.find(text), shown.err.rfind(text));
}

TEST_F(MemberTest, ATextWithoutADotIsAUsageError) {
  for (const char *text : {"CPU_ATTN", "attention.", ".CPU_ATTN"}) {
    const Finished shown = bkr({"show", text});
    EXPECT_EQ(shown.exit_code, 2) << text;
    EXPECT_THAT(shown.err, HasSubstr("FAMILY.NAME")) << text;
  }
  EXPECT_THAT(bkr({"show", "attention.a.b"}).err, HasSubstr("'a.b'"));  // the rest is a name, if a wrong one
}

}  // namespace
