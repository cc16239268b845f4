// SPDX-License-Identifier: Apache-2.0
#include "bkr_fixture.h"

namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class RunTest : public BkrTest {
 protected:
  // One token, one head of one number: attention over it gives its value.
  static nlohmann::ordered_json small_case() {
    const auto tensor = [](const char *dtype, std::vector<int> shape, std::vector<int> data) {
      return nlohmann::ordered_json{{"dtype", dtype}, {"shape", std::move(shape)}, {"data", std::move(data)}};
    };
    nlohmann::ordered_json made;
    made["interface"] = "bkr.attention/1";
    made["params"] = {{"scale", 1.0}};
    made["tensors"] = {
        {"query", tensor("float32", {1, 1, 1}, {1})}, {"key", tensor("float32", {1, 1, 1}, {2})},
        {"value", tensor("float32", {1, 1, 1}, {3})}, {"kv_cache", tensor("float32", {2, 1, 1, 1, 1}, {0, 0})},
        {"slot_mapping", tensor("int64", {1}, {0})},  {"query_start_loc", tensor("int32", {2}, {0, 1})},
        {"seq_lens", tensor("int32", {1}, {1})},      {"block_table", tensor("int32", {1, 1}, {0})}};
    made["expected"] = {{"out", tensor("float32", {1, 1, 1}, {3})}};
    made["tolerance"] = {{"absolute", 1e-6}, {"relative", 1e-6}};
    return made;
  }

  std::string write_case(const nlohmann::ordered_json &content) const {
    const fs::path file = scratch() / "case.json";
    write_bytes(file, content.dump());
    return file.string();
  }

#ifdef BKR_TEST_CPU_ATTN
  void drop_cpu_attn() const { fs::copy_file(BKR_TEST_CPU_ATTN, plugin_dir() / "cpu_attn.so"); }
#endif
};

int occurrences(const std::string &text, const std::string &word) {
  int count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST_F(RunTest, S6AMissingFileIsToldOnceWithItsVariable) {
  const std::string missing = (scratch() / "missing.so").string();
  const Finished run =
      bkr({"run", "attention.CUSTOM", write_case(small_case())}, {{"BKR_OVERRIDE_ATTENTION_CUSTOM", missing}});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, AllOf(HasSubstr("BKR_OVERRIDE_ATTENTION_CUSTOM"), HasSubstr(missing)));
  EXPECT_EQ(occurrences(run.err, "does not exist"), 1) << run.err;
}

TEST_F(RunTest, AFailureIsToldAlsoWhereTheLogIsOff) {
  const Finished run = bkr({"run", "attention.CPU_ATTN", write_case(small_case())}, {{"BKR_LOG", "off"}});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(occurrences(run.err, "No plugin provides"), 1) << run.err;
}

TEST_F(RunTest, ACaseThatIsNotThereOrNoCaseIsAFailure) {
  drop("quiet", "quiet.so");
  const std::string missing = (scratch() / "missing.json").string();
  EXPECT_THAT(bkr({"run", "attention.QUIET", missing}).err, HasSubstr(missing));
  const Finished run = bkr({"run", "attention.QUIET", write_case({{"interface", 7}})});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("interface"));
}

TEST_F(RunTest, ABackendWithoutTheCasesInterfaceIsAFailure) {
  drop("quiet", "quiet.so");
  const Finished run = bkr({"run", "attention.QUIET", write_case(small_case())});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("bkr.attention/1"));
}

TEST_F(RunTest, L9RunIsTheCommandThatExecutesAPluginsCode) {
  drop("explosive", "explosive.so");
  EXPECT_EQ(bkr({"run", "attention.EXPLOSIVE", write_case(small_case())}).exit_code, -1);  // killed
}

#ifdef BKR_TEST_CPU_ATTN

TEST_F(RunTest, ARightResultIsOkAndTheDifferenceIsPrinted) {
  drop_cpu_attn();
  const Finished run = bkr({"run", "attention.CPU_ATTN", write_case(small_case())});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("CPU_ATTN"), HasSubstr((plugin_dir() / "cpu_attn.so").string()),
                             HasSubstr("out"), HasSubstr("tolerance: 1e-06 + 1e-06"), HasSubstr("\nOK\n")));
  EXPECT_EQ(run.err, "");
}

TEST_F(RunTest, AnotherResultThanRecordedIsFailed) {
  drop_cpu_attn();
  nlohmann::ordered_json wrong = small_case();
  wrong["expected"]["out"]["data"] = {2.5};
  const std::string file = write_case(wrong);
  const Finished run = bkr({"run", "attention.CPU_ATTN", file});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.out, AllOf(HasSubstr("0.5 at [0,0,0]"), HasSubstr("FAILED")));
  const auto document = bkr_json({"run", "attention.CPU_ATTN", file});
  EXPECT_EQ(document["passed"], false);
  EXPECT_EQ(document["backend"], "CPU_ATTN");
  EXPECT_EQ(document["tensors"][0]["tensor"], "out");
  EXPECT_DOUBLE_EQ(document["tensors"][0]["largest_absolute"].get<double>(), 0.5);
  EXPECT_EQ(document["tensors"][0]["beyond"], 1);
}

TEST_F(RunTest, TheSameFileServesACustomNameThroughTheEnvironment) {
  drop_cpu_attn();
  const Finished run = bkr({"run", "attention.CUSTOM", write_case(small_case())},
                           {{"BKR_OVERRIDE_ATTENTION_CUSTOM", (plugin_dir() / "cpu_attn.so").string()}});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("\nOK\n"));
}

TEST_F(RunTest, EveryRecordedCaseThatComesWithTheProjectIsMet) {
  drop_cpu_attn();
  const std::pair<const char *, const char *> folders[] = {{"attention", "attention.CPU_ATTN"},
                                                           {"cpu_mla", "attention.CPU_MLA"},
                                                           {"no_attention", "attention.NO_ATTENTION"},
                                                           {"mla_prefill", "mla_prefill.CPU"}};
  for (const auto &[folder, member] : folders) {
    int count = 0;
    for (const auto &entry : fs::directory_iterator(fs::path(BKR_TEST_CASES) / folder)) {
      if (entry.path().extension() != ".json") continue;
      ++count;
      const Finished run = bkr({"run", member, entry.path().string()});
      EXPECT_EQ(run.exit_code, 0) << entry.path() << '\n' << run.out << run.err;
    }
    EXPECT_GT(count, 0) << folder;
  }
}

#endif

#ifdef BKR_TEST_CPU_MAMBA

TEST_F(RunTest, EveryRecordedCaseOfTheMambaFamilyIsMet) {
  fs::copy_file(BKR_TEST_CPU_MAMBA, plugin_dir() / "cpu_mamba.so");
  int count = 0;
  for (const auto &entry : fs::directory_iterator(BKR_TEST_MAMBA_CASES)) {
    ++count;
    const std::string member = "mamba." + entry.path().stem().stem().string();  // of MAMBA2.scan.json
    const Finished run = bkr({"run", member, entry.path().string()});
    EXPECT_EQ(run.exit_code, 0) << entry.path() << '\n' << run.out << run.err;
    EXPECT_THAT(run.out, AllOf(HasSubstr("out"), HasSubstr("state"), HasSubstr("\nOK\n")));
  }
  EXPECT_GE(count, 5);
}

#endif

}  // namespace
