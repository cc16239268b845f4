// SPDX-License-Identifier: Apache-2.0
// scan and inspect.
#include "bkr_fixture.h"

namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class ScanTest : public BkrTest {
 protected:
  // One of each kind, made in an order that is not that of their names.
  void drop_six() const {
    drop("quiet", "good.so");
    write_bytes(plugin_dir() / "text.so", "This is no library.\n");
    std::string foreign = plugin_bytes("quiet");
    foreign[18] = 0x15;  // e_machine: 64-bit PowerPC
    foreign[19] = 0;
    write_bytes(plugin_dir() / "foreign.so", foreign);
    write_bytes(plugin_dir() / "cut.so", plugin_bytes("quiet").substr(0, 1000));
    drop("bare", "bare.so");
    fs::create_hard_link(plugin_dir() / "good.so", plugin_dir() / "other.so");
  }
};

TEST_F(ScanTest, U2SixFilesAreSixRecordsInSortedOrder) {
  drop_six();
  const auto report = bkr_json({"scan"});
  std::vector<std::string> names;
  for (const auto &file : report["files"]) names.push_back(fs::path(file["path"].get<std::string>()).filename());
  EXPECT_EQ(names, (std::vector<std::string>{"bare.so", "cut.so", "foreign.so", "good.so", "other.so", "text.so"}));
  std::vector<std::string> stages;
  for (const auto &file : report["files"]) stages.push_back(file["stage"]);
  EXPECT_EQ(stages[2], "machine");
  EXPECT_EQ(stages[3], "ok");
  EXPECT_EQ(stages[4], "duplicate");
  EXPECT_EQ(stages[5], "format");
  for (const std::size_t i : {1u, 2u, 4u, 5u}) EXPECT_FALSE(report["files"][i]["reason"].is_null()) << names[i];
}

TEST_F(ScanTest, U2TheTextTellsTheVerdictOfEach) {
  drop_six();
  const Finished scanned = bkr({"scan"});
  EXPECT_EQ(scanned.exit_code, 0);
  EXPECT_THAT(scanned.out,
              AllOf(HasSubstr("usable, org.example.quiet 0.1.2"), HasSubstr("at stage machine"),
                    HasSubstr("counted already"), HasSubstr("at stage format"), HasSubstr("without a descriptor")));
  EXPECT_EQ(scanned.err, "");  // files that merely lie there are no reason to speak
}

TEST_F(ScanTest, EveryRecordIsShownWithItsUse) {
  drop("quiet", "quiet.so");
  EXPECT_THAT(bkr({"scan"}).out, AllOf(HasSubstr("attention.QUIET: new member"), HasSubstr("cpu level not met"),
                                       HasSubstr("mamba.CUSTOM: name taken"), HasSubstr("priority   7")));
}

TEST_F(ScanTest, NamedDirectoriesAreAllThatIsSearched) {
  drop("quiet", "quiet.so");
  const fs::path named = scratch() / "named";
  fs::create_directory(named);
  const auto report = bkr_json({"scan", named.string()}, {{"BKR_DEFAULT_DIRS", "1"}});
  ASSERT_EQ(report["directories"].size(), 1u);
  EXPECT_EQ(report["directories"][0]["path"], named.string());
  EXPECT_EQ(report["directories"][0]["origin"], "config");
  EXPECT_TRUE(report["files"].empty());
}

TEST_F(ScanTest, ANamedDirectoryThatIsMissingIsAFailureAndTheOthersAreScanned) {
  drop("quiet", "quiet.so");
  const std::string missing = (scratch() / "missing").string();
  const Finished scanned = bkr({"scan", missing, plugin_dir().string()});
  EXPECT_EQ(scanned.exit_code, 1);
  EXPECT_THAT(scanned.out, HasSubstr("org.example.quiet"));
  EXPECT_THAT(scanned.err, AllOf(HasSubstr(missing), HasSubstr("missing\n")));
}

TEST_F(ScanTest, S2AMissingDirectoryOfTheSearchPathIsToldAndNoFailure) {
  const Finished scanned = bkr({"scan"}, {{"BKR_PLUGIN_PATH", "/no/such:" + plugin_dir().string()}});
  EXPECT_EQ(scanned.exit_code, 0);
  EXPECT_THAT(scanned.out, HasSubstr("missing  BKR_PLUGIN_PATH  /no/such"));
}

TEST_F(ScanTest, U6AVariableThatMeansNothingIsNamedWithTheRightOne) {
  const Finished scanned = bkr({"scan"}, {{"BKR_OVERIDE_ATTENTION_CUSTOM", "/x.so"}});
  EXPECT_THAT(scanned.out, HasSubstr("did you mean BKR_OVERRIDE_ATTENTION_CUSTOM?"));
  EXPECT_THAT(scanned.err, AllOf(HasSubstr("bkr: warning: "), HasSubstr("BKR_OVERRIDE_ATTENTION_CUSTOM")));
}

TEST_F(ScanTest, S10NamesAreGivenBackByteForByte) {
  for (const std::string name : {"с пробелом.so", "プラグイン.so", "🚀.so", "not\xff\xfeutf8.so"}) {
    drop("quiet", name);
    EXPECT_THAT(bkr({"scan"}).out, HasSubstr(plugin_dir().string() + "/" + name + "\n"));
    EXPECT_THAT(bkr({"show", "attention.QUIET"}).out, HasSubstr(plugin_dir().string() + "/" + name + "\n"));
    EXPECT_TRUE(bkr_json({"scan"}).is_object());
    fs::remove(plugin_dir() / name);
  }
}

TEST_F(ScanTest, InspectTellsWhatAPluginHolds) {
  const auto file = drop("quiet", "quiet.so");
  const Finished inspected = bkr({"inspect", file.string()});
  EXPECT_EQ(inspected.exit_code, 0);
  EXPECT_THAT(inspected.out, AllOf(HasSubstr(file.string()), HasSubstr("org.example.quiet 0.1.2"),
                                   HasSubstr("attention.QUIET"), HasSubstr("example.tool.Quiet"), HasSubstr("ELF")));
  EXPECT_EQ(inspected.err, "");
  const auto document = bkr_json({"inspect", file.string()});
  EXPECT_EQ(document["records"].size(), 3u);
  EXPECT_EQ(document["exports_create_backend"], true);
}

TEST_F(ScanTest, InspectOfWhatIsNoPluginFailsAndTellsWhatItIs) {
  drop_six();
  for (const char *name : {"text.so", "foreign.so", "cut.so", "bare.so"}) {
    const Finished inspected = bkr({"inspect", (plugin_dir() / name).string()});
    EXPECT_EQ(inspected.exit_code, 1) << name;
    EXPECT_THAT(inspected.out, HasSubstr(name));
  }
}

TEST_F(ScanTest, InspectOfAFileThatIsNotThereIsAnError) {
  const Finished inspected = bkr({"inspect", (scratch() / "missing.so").string()});
  EXPECT_EQ(inspected.exit_code, 1);
  EXPECT_EQ(inspected.out, "");
  EXPECT_THAT(inspected.err, HasSubstr("missing.so"));
}

}  // namespace
