// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "bkr_fixture.h"

namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class ListTest : public BkrTest {};

std::vector<std::string> lines(const std::string &text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

std::string line_with(const std::string &text, const std::string &word) {
  for (const std::string &line : lines(text)) {
    if (line.find(word) != std::string::npos) return line;
  }
  return {};
}

TEST_F(ListTest, EveryNameOfAFamilyHasALineThatSaysWhatIsMissing) {
  const Finished listed = bkr({"list", "attention"});
  EXPECT_EQ(listed.exit_code, 0);
  EXPECT_THAT(listed.out, HasSubstr("attention: 46 names, 0 with a provider"));
  EXPECT_THAT(line_with(listed.out, "  CPU_ATTN "),
              MatchesRegex("  CPU_ATTN +— no plugin +— +vllm.v1.attention.backends.cpu_attn.CPUAttentionBackend"));
  EXPECT_THAT(line_with(listed.out, "  CUSTOM "), MatchesRegex("  CUSTOM +— no path yet +— +—"));
}

TEST_F(ListTest, ColumnsStandBelowEachOther) {
  const Finished listed = bkr({"list", "attention"});
  const std::size_t column = line_with(listed.out, "  NAME ").find("PROVIDER");
  ASSERT_NE(column, std::string::npos);
  for (const std::string &line : lines(listed.out)) {
    if (line.find("no plugin") == std::string::npos) continue;
    EXPECT_EQ(line.find("— no plugin"), column) << line;
  }
}

TEST_F(ListTest, WithoutAFamilyAllAreListed) {
  const Finished listed = bkr({"list"});
  EXPECT_THAT(listed.out, HasSubstr("attention: 46 names"));
  EXPECT_THAT(listed.out, HasSubstr("\nmamba: 6 names"));
  EXPECT_THAT(listed.out, HasSubstr("\nmla_prefill: 8 names"));
}

TEST_F(ListTest, ADroppedFileBringsItsNameAndProvidesIt) {
  const auto file = drop("quiet", "quiet.so");
  const Finished listed = bkr({"list", "attention"});
  EXPECT_THAT(listed.out, HasSubstr("47 names, 1 with a provider"));
  EXPECT_THAT(line_with(listed.out, "  QUIET "), MatchesRegex("  QUIET +quiet.so +— +example.tool.Quiet"));
  EXPECT_THAT(listed.out, HasSubstr(file.string()));
}

TEST_F(ListTest, AnOverrideIsMarkedWithWhoMadeIt) {
  const auto file = drop("quiet", "quiet.so");
  const Finished listed = bkr({"list", "attention"}, {{"BKR_OVERRIDE_ATTENTION_CUSTOM", file.string()}});
  EXPECT_THAT(line_with(listed.out, "  CUSTOM "), HasSubstr("quiet.so"));
  EXPECT_THAT(line_with(listed.out, "  CUSTOM "), HasSubstr("environment"));
  EXPECT_THAT(line_with(listed.out, "  CUSTOM "), HasSubstr(file.string()));
}

TEST_F(ListTest, FilesOfOneNameInTwoDirectoriesAreShownWhole) {
  const auto first = drop("quiet", "same.so");
  std::filesystem::create_directory(scratch() / "other");
  const auto second = scratch() / "other" / "same.so";
  write_bytes(second, plugin_bytes("quiet"));
  const Finished listed = bkr({"list", "attention"}, {{"BKR_OVERRIDE_ATTENTION_QUIET", second.string()},
                                                      {"BKR_OVERRIDE_ATTENTION_CPU_ATTN", "example.tool.Quiet"}});
  EXPECT_THAT(line_with(listed.out, "  CPU_ATTN "), HasSubstr(first.string()));
  EXPECT_THAT(line_with(listed.out, "  QUIET "), MatchesRegex("  QUIET +" + second.string() + " .*"));
}

TEST_F(ListTest, JsonHasEveryFactOfEveryMember) {
  const auto file = drop("quiet", "quiet.so");
  const auto document = bkr_json({"list"});
  ASSERT_EQ(document["families"].size(), 3u);
  const auto &attention = document["families"][0];
  EXPECT_EQ(attention["name"], "attention");
  ASSERT_EQ(attention["members"].size(), 47u);
  const auto &first = attention["members"][0];
  EXPECT_EQ(first["name"], "FLASH_ATTN");
  EXPECT_EQ(first["status"], "BKR_NOT_FOUND");
  EXPECT_TRUE(first["file"].is_null());
  const auto &quiet = attention["members"][46];
  for (const char *key :
       {"family", "name", "default_path", "path", "overridden", "decided_by", "variable", "provider", "file", "symbol",
        "backend_name", "interface_id", "plugin_id", "cpu_level", "loaded", "status", "reason", "next"}) {
    EXPECT_TRUE(quiet.contains(key)) << key;
  }
  EXPECT_EQ(quiet["file"], file.string());
  EXPECT_EQ(quiet["plugin_id"], "org.example.quiet");
  EXPECT_EQ(quiet["loaded"], false);
}

#if defined(BKR_TEST_CPU_ATTN) && defined(BKR_TEST_CPU_MAMBA)

TEST_F(ListTest, NineMembersHaveAProviderThatRunsOnACpu) {
  std::filesystem::copy_file(BKR_TEST_CPU_ATTN, plugin_dir() / "cpu_attn.so");
  std::filesystem::copy_file(BKR_TEST_CPU_MAMBA, plugin_dir() / "cpu_mamba.so");
  std::vector<std::string> provided;
  const auto document = bkr_json({"list"});
  for (const auto &family : document["families"]) {
    for (const auto &member : family["members"]) {
      if (member["file"].is_null()) continue;
      EXPECT_EQ(member["status"], "BKR_OK") << member;
      provided.push_back(member["family"].get<std::string>() + "." + member["name"].get<std::string>());
    }
  }
  EXPECT_THAT(provided, ::testing::ElementsAre("attention.NO_ATTENTION", "attention.CPU_ATTN", "attention.CPU_MLA",
                                               "mamba.MAMBA1", "mamba.MAMBA2", "mamba.SHORT_CONV", "mamba.LINEAR",
                                               "mamba.GDN_ATTN", "mla_prefill.CPU"));
  EXPECT_THAT(bkr({"list"}).out, HasSubstr("mamba: 6 names, 5 with a provider"));
}

#endif

TEST_F(ListTest, U1AHealthyRunLeavesStderrEmpty) {
  drop("quiet", "quiet.so");
  for (const auto &command : std::vector<std::vector<std::string>>{
           {"list"}, {"show", "attention.QUIET"}, {"why", "attention.QUIET"}, {"scan"}}) {
    const Finished done = bkr(command);
    EXPECT_EQ(done.exit_code, 0) << command.front();
    EXPECT_EQ(done.err, "") << command.front();
  }
}

TEST_F(ListTest, L9NoCommandButRunExecutesAPluginsCode) {
  const auto file = drop("explosive", "explosive.so");
  for (const auto &command : std::vector<std::vector<std::string>>{{"list"},
                                                                   {"show", "attention.EXPLOSIVE"},
                                                                   {"why", "attention.EXPLOSIVE"},
                                                                   {"scan"},
                                                                   {"inspect", file.string()}}) {
    EXPECT_EQ(bkr(command).exit_code, 0) << command.front();
  }
}

TEST_F(ListTest, AnUnknownFamilyIsAnsweredInTheLibrarysWords) {
  const Finished listed = bkr({"list", "attentoin"});
  EXPECT_EQ(listed.exit_code, 1);
  EXPECT_EQ(listed.out, "");
  EXPECT_THAT(listed.err, HasSubstr("attentoin"));
  EXPECT_THAT(listed.err, HasSubstr("attention, mamba, mla_prefill"));
}

}  // namespace
