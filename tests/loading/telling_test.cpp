// SPDX-License-Identifier: Apache-2.0
// What the user is told: enough, once, and nothing when all is well.
#include <elf.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "child.h"
#include "loading_fixture.h"

namespace loading {
namespace {

namespace fs = std::filesystem;

TEST(Loading, U1_HealthyRunPrintsNothing) {
  const TempDir dir;
  dir.drop(built("good"), "good.so");
  dir.drop(built("twin_a"), "twin.so");
  dir.drop("what else lies there", "readme.txt");
  dir.drop("and a file that is no plugin", "text.so");
  for (const std::string name : {"GOOD", "TWIN_A"}) {
    const Child by_config = run_child({"run", dir.path(), name});
    EXPECT_TRUE(by_config.ended_well());
    EXPECT_EQ(by_config.out + by_config.err, "");
    const Child by_variable = run_child({"run", "-", name}, {{"BKR_PLUGIN_PATH", dir.path()}});
    EXPECT_TRUE(by_variable.ended_well());
    EXPECT_EQ(by_variable.out + by_variable.err, "");
  }
}

TEST(Loading, U2_EachFileHasOneEntryWithStageAndReason) {
  const TempDir dir;
  const PluginBytes good = built("good");
  const std::string file = dir.drop(good, "a_good.so");
  dir.drop("some text", "b_text.so");
  dir.drop(good.with(offsetof(Elf64_Ehdr, e_machine), uint16_t{EM_SPARCV9}), "c_foreign.so");
  dir.drop(good.cut(1000), "d_truncated.so");
  dir.drop(built("no_create"), "e_no_symbol.so");
  fs::create_hard_link(file, dir / "f_duplicate.so");
  dir.drop("not looked at", "notes.txt");
  const Registry registry(dir);

  ASSERT_EQ(registry.files(), (std::vector<std::string>{"a_good.so", "b_text.so", "c_foreign.so", "d_truncated.so",
                                                        "e_no_symbol.so", "f_duplicate.so"}));
  const Json entries = registry.report()["files"];
  const std::pair<const char *, const char *> expected[] = {
      {"ok", "BKR_OK"},          {"format", "BKR_BAD_FILE"}, {"machine", "BKR_WRONG_PLATFORM"},
      {nullptr, "BKR_BAD_FILE"}, {nullptr, nullptr},         {"duplicate", nullptr}};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Json &entry = entries[i];
    if (expected[i].first) {
      EXPECT_EQ(entry["stage"], expected[i].first) << entry;
    }
    if (expected[i].second) {
      EXPECT_EQ(entry["status"], expected[i].second) << entry;
    }
    EXPECT_EQ(entry["reason"].is_string(), i > 0) << entry;
  }
  EXPECT_TRUE(has(entries[4]["reason"].dump(), {"create_backend"}));
  EXPECT_EQ(entries[0]["also"], Json::array({dir / "f_duplicate.so"}));
}

TEST(Loading, U2_InspectSaysTheSameAsTheReport) {
  const TempDir dir;
  dir.drop(built("good"), "good.so");
  dir.drop(built("good").cut(1000), "truncated.so");
  dir.drop("some text", "text.so");
  const Registry registry(dir);
  for (const std::string name : {"good.so", "truncated.so", "text.so"}) {
    const Json inspected = inspect(dir / name);
    const Json reported = registry.file(name);
    for (const char *key : {"path", "plugin_id", "version", "stage", "status", "reason", "next"}) {
      EXPECT_EQ(inspected[key], reported[key]) << name << " " << key;
    }
  }
}

TEST(Loading, U3_FailureThatRepeatsIsLoggedOnce) {
  const TempDir dir;
  dir.drop(built("undefined"), "good.so");
  const Registry registry(dir);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(registry.load("GOOD").status, BKR_LOAD_FAILED);
  EXPECT_EQ(registry.logged({"loading_nobody_has_this"}), 1);
  EXPECT_EQ(registry.log().size(), 1u);
  EXPECT_EQ(registry.log()[0].level, BKR_LOG_ERR);
}

TEST(Loading, U3_CreateThatFailsIsLoggedOnce) {
  const TempDir dir;
  dir.drop(built("good"), "good.so");
  const Registry registry(dir);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(registry.open("GOOD", {{"create", "refuse"}}).answer.status, BKR_CREATE_FAILED);
  }
  ASSERT_EQ(registry.log().size(), 1u);
  EXPECT_EQ(registry.log()[0].level, BKR_LOG_ERR);
  EXPECT_EQ(registry.log()[0].text, registry.open("GOOD", {{"create", "refuse"}}).answer.text);
  // Another failure is another line.
  ASSERT_EQ(registry.open("GOOD", {{"create", "null"}}).answer.status, BKR_CREATE_FAILED);
  EXPECT_EQ(registry.log().size(), 2u);
}

TEST(Loading, U3_InitThatFailsIsLoggedOnce) {
  const TempDir dir;
  dir.drop(built("twin_a"), "twin.so");
  const Registry registry(dir);
  const Made made = registry.open("TWIN_A", {{"throw", "init"}});
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(bkr_backend_init(made.backend.get(), nullptr, nullptr), BKR_PLUGIN_EXCEPTION);
  ASSERT_EQ(registry.log().size(), 1u);
  EXPECT_EQ(registry.log()[0].level, BKR_LOG_ERR);
  EXPECT_EQ(registry.logged({"init of attention.TWIN_A", "init is out of order"}), 1);
  // The host's own fault, and none of the backend's.
  const Made another = registry.open("TWIN_A");
  ASSERT_EQ(bkr_backend_init(another.backend.get(), nullptr, nullptr), BKR_OK);
  ASSERT_EQ(bkr_backend_init(another.backend.get(), nullptr, nullptr), BKR_WRONG_STATE);
  EXPECT_EQ(registry.log().size(), 1u);
}

TEST(Loading, U4_TextIsCutBetweenCharacters) {
  const TempDir dir;
  const Registry registry(dir);
  const std::string path = "/нет/такого/файла/плагин.so";
  const std::string whole = registry.load_path(path).text;
  ASSERT_TRUE(has(whole, {path}));
  bkr_family *family = registry.family();
  for (uint32_t cap = 0; cap < 120; ++cap) {
    std::string buffer(128, '#');
    bkr_error error = {sizeof(bkr_error), 0, 0, cap, buffer.data(), 0, 0};
    bkr_factory *factory = nullptr;
    ASSERT_EQ(bkr_path_load(family, path.c_str(), &factory, &error), BKR_NOT_FOUND);
    EXPECT_EQ(error.msg_len, whole.size());
    EXPECT_EQ(buffer.substr(cap), std::string(128 - cap, '#'));  // nothing written behind
    if (cap == 0) continue;
    const std::string text = buffer.c_str();
    EXPECT_LT(text.size(), cap);
    EXPECT_GE(text.size() + 4, cap);
    EXPECT_EQ(whole.substr(0, text.size()), text);
    EXPECT_NE(static_cast<unsigned char>(whole[text.size()]) & 0xC0, 0x80) << cap;  // a character begins there
  }
}

TEST(Loading, U5_ElevatedProcessIgnoresTheEnvironment) {
  const TempDir dir;
  const TempDir evil;
  dir.drop(built("good").with_code("wanted"), "good.so");
  evil.drop(built("good").named("EVIL"), "evil.so");
  const std::vector<std::pair<std::string, std::string>> variables = {
      {"BKR_PLUGIN_PATH", evil.path()}, {"BKR_OVERRIDE_ATTENTION_GOOD", evil / "evil.so"}, {"BKR_DISABLE", "*"}};

  const TempDir program;
  const Child child = run_elevated_child(program.path(), {"run", dir.path(), "GOOD"}, variables);
  if (child.exit_code == kCannotElevate) GTEST_SKIP() << "no program can be made elevated here";

  EXPECT_TRUE(child.ended_well());
  EXPECT_TRUE(has(child.err, {"elevated", "BKR_PLUGIN_PATH", "BKR_OVERRIDE_ATTENTION_GOOD", "BKR_DISABLE"}));
  EXPECT_EQ(child.err.find('\n'), child.err.size() - 1) << child.err;  // one warning
  const TempDir again;
  const Child report = run_elevated_child(again.path(), {"report", dir.path()}, variables);
  const Json document = Json::parse(report.out, nullptr, false);
  EXPECT_EQ(document["elevated"], true);
  EXPECT_EQ(document["directories"].size(), 1u);
  for (const Json &variable : document["environment"]) EXPECT_EQ(variable["state"], "ignored: elevated");
  EXPECT_EQ(document["environment"].size(), 3u);
}

TEST(Loading, U6_MisspeltVariableIsNamedWithTheRightOne) {
  const TempDir dir;
  const Variable typo("BKR_OVERIDE_ATTENTION_CUSTOM", dir / "x.so");
  const Variable setting("BKR_PLUGINPATH", dir.path());
  const Variable strange("BKR_SOMETHING_ELSE_ALTOGETHER", "1");
  const Registry registry(dir);

  EXPECT_EQ(registry.log().size(), 2u);
  EXPECT_EQ(registry.logged({"BKR_OVERIDE_ATTENTION_CUSTOM", "BKR_OVERRIDE_ATTENTION_CUSTOM"}), 1);
  EXPECT_EQ(registry.logged({"BKR_PLUGINPATH", "BKR_PLUGIN_PATH"}), 1);
  const Json environment = registry.report()["environment"];
  ASSERT_EQ(environment.size(), 3u);
  for (const Json &variable : environment) EXPECT_EQ(variable["state"], "unknown");
  EXPECT_EQ(environment[0]["nearest"], "BKR_OVERRIDE_ATTENTION_CUSTOM");
  EXPECT_TRUE(environment[2]["nearest"].is_null());
  EXPECT_TRUE(ok(registry.rescan()));
  EXPECT_EQ(registry.log().size(), 2u);
}

}  // namespace
}  // namespace loading
