// SPDX-License-Identifier: Apache-2.0
// Which path a member has: override by API, then by environment, then the default; and what else the environment
// says. A test a rule.
#include <cstdlib>
#include <map>
#include <optional>

#include "semantics/registry_fixture.h"

namespace {

// Sets variables for the length of a test.
class EnvironmentRules : public RegistryFixture {
 protected:
  void SetUp() override {
    set("HOME", "/nonexistent-home");
    set("XDG_DATA_HOME", "");
    RegistryFixture::SetUp();
  }
  void TearDown() override {
    RegistryFixture::TearDown();
    bkr_registry_close(opened);
    for (const auto &[name, value] : before) value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
  }
  void set(const char *name, const char *value) {
    const char *old = std::getenv(name);
    before.try_emplace(name, old ? std::optional<std::string>(old) : std::nullopt);
    setenv(name, value, 1);
  }
  // A registry that reads the environment, but no directory unless `flags` says otherwise.
  bkr_family *open(uint32_t flags = BKR_CONFIG_NO_DEFAULT_DIRS, int32_t level = BKR_LOG_WARN) {
    bkr_config config{};
    config.struct_size = sizeof config;
    config.flags = flags;
    config.log_level = level;
    config.log = [](void *user, int32_t, const char *text, size_t size) {
      static_cast<std::vector<std::string> *>(user)->emplace_back(text, size);
    };
    config.log_user = &logged;
    bkr_registry_close(opened);
    opened = nullptr;
    EXPECT_EQ(bkr_registry_open(&config, &opened, &error), BKR_OK) << text();
    bkr_family *in = nullptr;
    EXPECT_EQ(bkr_family_find(opened, "attention", &in, &error), BKR_OK);
    return in;
  }
  std::string report() {
    size_t need = 0;
    EXPECT_EQ(bkr_registry_report(opened, nullptr, 0, &need, &error), BKR_OK);
    std::string json(need, '\0');
    EXPECT_EQ(bkr_registry_report(opened, json.data(), need, &need, &error), BKR_OK) << text();
    return json;
  }

  bkr_registry *opened = nullptr;
  std::map<std::string, std::optional<std::string>> before;
};

TEST_F(EnvironmentRules, OverridesByTheMembersName) {
  set("BKR_OVERRIDE_ATTENTION_CPU_ATTN", "by.Environment");
  bkr_member *member = find(open(), "CPU_ATTN");
  EXPECT_EQ(path(member), "by.Environment");
  EXPECT_EQ(bkr_member_is_overridden(member), 1);
  EXPECT_EQ(bkr_member_override_source(member), BKR_OVERRIDE_ENVIRONMENT);
  EXPECT_TRUE(logged.empty());
}

TEST_F(EnvironmentRules, TheApiComesFirstAndClearRevealsTheEnvironment) {
  set("BKR_OVERRIDE_ATTENTION_CPU_ATTN", "by.Environment");
  bkr_member *member = find(open(), "CPU_ATTN");
  ASSERT_EQ(bkr_member_override(member, "by.Api", &error), BKR_OK);
  EXPECT_EQ(path(member), "by.Api");
  bkr_member_clear_override(member);
  EXPECT_EQ(path(member), "by.Environment");
  ASSERT_EQ(bkr_member_override(member, bkr_member_default_path(member), &error), BKR_OK);
  EXPECT_EQ(path(member), bkr_member_default_path(member));
}

TEST_F(EnvironmentRules, IsReadAtOpenAndAtRescanOnly) {
  bkr_member *member = find(open(), "CPU_ATTN");
  set("BKR_OVERRIDE_ATTENTION_CPU_ATTN", "by.Environment");
  EXPECT_EQ(path(member), bkr_member_default_path(member));
  ASSERT_EQ(bkr_registry_rescan(opened, &error), BKR_OK);
  EXPECT_EQ(path(member), "by.Environment");
}

TEST_F(EnvironmentRules, S5_EmptyEqualsUnset) {
  set("BKR_OVERRIDE_ATTENTION_CPU_ATTN", "");
  set("BKR_PLUGIN_PATH", "");
  set("BKR_LOG", "");
  bkr_member *member = find(open(), "CPU_ATTN");
  EXPECT_EQ(bkr_member_is_overridden(member), 0);
  EXPECT_TRUE(logged.empty());
  EXPECT_EQ(report().find("BKR_PLUGIN_PATH"), std::string::npos);
}

TEST_F(EnvironmentRules, TheConfigurationCanLeaveItOut) {
  set("BKR_OVERRIDE_ATTENTION_CPU_ATTN", "by.Environment");
  bkr_member *member = find(open(BKR_CONFIG_NO_ENVIRONMENT | BKR_CONFIG_NO_DEFAULT_DIRS), "CPU_ATTN");
  EXPECT_EQ(bkr_member_is_overridden(member), 0);
  EXPECT_NE(report().find("\"environment\": []"), std::string::npos);
}

TEST_F(EnvironmentRules, DefaultDirsZeroLeavesTheUsersAndTheLibrarysOut) {
  open(0);
  EXPECT_NE(report().find("\"origin\": \"user\""), std::string::npos);
  EXPECT_NE(report().find("\"origin\": \"library\""), std::string::npos);
  set("BKR_DEFAULT_DIRS", "0");
  set("BKR_PLUGIN_PATH", ":/nonexistent-a::/nonexistent-b:");
  open(0);
  const std::string json = report();
  EXPECT_EQ(json.find("\"origin\": \"user\""), std::string::npos);
  EXPECT_EQ(json.find("\"origin\": \"library\""), std::string::npos);
  EXPECT_LT(json.find("/nonexistent-a"), json.find("/nonexistent-b")) << json;
}

TEST_F(EnvironmentRules, TheUsersDirectoryFollowsXdgDataHome) {
  open(0);
  EXPECT_NE(report().find("/nonexistent-home/.local/share/backend_registry/plugins"), std::string::npos) << report();
  set("XDG_DATA_HOME", "/nonexistent-data");
  open(0);
  EXPECT_NE(report().find("\"/nonexistent-data/backend_registry/plugins\""), std::string::npos) << report();
}

TEST_F(EnvironmentRules, U6_AMisspeltVariableIsWarnedAboutOnceWithTheRightName) {
  set("BKR_OVERIDE_ATTENTION_CUSTOM", "/x.so");
  open();
  ASSERT_EQ(bkr_registry_rescan(opened, &error), BKR_OK);
  ASSERT_EQ(logged.size(), 1u) << "also over a rescan";
  EXPECT_NE(logged[0].find("BKR_OVERIDE_ATTENTION_CUSTOM"), std::string::npos);
  EXPECT_NE(logged[0].find("BKR_OVERRIDE_ATTENTION_CUSTOM"), std::string::npos);
  EXPECT_NE(report().find("\"nearest\": \"BKR_OVERRIDE_ATTENTION_CUSTOM\""), std::string::npos);
}

TEST_F(EnvironmentRules, AVariableThatNobodyKnowsIsInTheReportWithoutAWarning) {
  set("BKR_SOMETHING_ELSE_ALTOGETHER", "1");
  open();
  EXPECT_TRUE(logged.empty());
  EXPECT_NE(report().find("\"state\": \"unknown\""), std::string::npos);
}

TEST_F(EnvironmentRules, TheLogsLevel) {
  set("BKR_LOG", "info");
  bkr_family *in = open(BKR_CONFIG_NO_DEFAULT_DIRS, 0);
  ASSERT_EQ(add(in, "DYN", "x.Y"), BKR_OK);
  EXPECT_EQ(logged, std::vector<std::string>{"Registered new attention backend: DYN -> x.Y"});
  logged.clear();
  set("BKR_LOG", "loud");
  open(BKR_CONFIG_NO_DEFAULT_DIRS, 0);
  ASSERT_EQ(logged.size(), 1u);
  EXPECT_NE(logged[0].find("loud"), std::string::npos) << logged[0];
}

TEST_F(EnvironmentRules, S6_AMissingFileFailsWithTheVariablesNameAndNothingElseIsUsed) {
  set("BKR_OVERRIDE_ATTENTION_CPU_ATTN", "/nonexistent/mine.so");
  bkr_member *member = find(open(0), "CPU_ATTN");
  bkr_factory *factory = nullptr;
  EXPECT_EQ(bkr_member_load(member, &factory, &error), BKR_NOT_FOUND);
  EXPECT_EQ(bkr_member_load(member, &factory, &error), BKR_NOT_FOUND);
  for (const char *word : {"BKR_OVERRIDE_ATTENTION_CPU_ATTN", "/nonexistent/mine.so"}) {
    EXPECT_NE(text().find(word), std::string::npos) << text();
  }
  ASSERT_EQ(logged.size(), 1u) << "told once, at the default level";
  EXPECT_EQ(logged[0], text());
}

TEST_F(EnvironmentRules, ARefusedPathIsWarnedAboutAndFailsInsteadOfTheDefault) {
  set("BKR_OVERRIDE_ATTENTION_CPU_ATTN", "plugins/");
  bkr_member *member = find(open(), "CPU_ATTN");
  ASSERT_EQ(logged.size(), 1u);
  EXPECT_NE(logged[0].find("BKR_OVERRIDE_ATTENTION_CPU_ATTN"), std::string::npos) << logged[0];
  bkr_target target{};
  target.struct_size = sizeof target;
  EXPECT_EQ(bkr_member_resolve(member, &target, &error), BKR_BAD_PATH);
  EXPECT_NE(text().find("BKR_OVERRIDE_ATTENTION_CPU_ATTN"), std::string::npos) << text();
}

TEST_F(EnvironmentRules, N7_OneVariableForTwoMembersIsWarnedAbout) {
  set("BKR_OVERRIDE_MLA_PREFILL_CPU", "by.Environment");
  open();
  bkr_family *mla = nullptr;
  ASSERT_EQ(bkr_family_add(opened, "mla", "mla backend", &mla, &error), BKR_OK);
  ASSERT_EQ(add(mla, "PREFILL_CPU", "x.Y"), BKR_OK);
  EXPECT_EQ(path(find(mla, "PREFILL_CPU")), "by.Environment");
  ASSERT_EQ(logged.size(), 1u);
  EXPECT_NE(logged[0].find("BKR_OVERRIDE_MLA_PREFILL_CPU"), std::string::npos) << logged[0];
}

}  // namespace
