// SPDX-License-Identifier: Apache-2.0
// What is logged when a registry is opened: no failure, but worth a word to whoever runs the process.
#include <sys/stat.h>

#include <filesystem>

#include "golden.h"

namespace golden {
namespace {

namespace fs = std::filesystem;

class Warnings : public Golden {};

TEST_F(Warnings, variables_are_misspelt) {
  const Variable override_custom("BKR_OVERIDE_ATTENTION_CUSTOM", "/opt/libmine.so");
  const Variable plugin_path("BKR_PLUGINPATH", "/opt/plugins");
  const Variable of_others("BKR_SOMETHING_ELSE_ALTOGETHER", "1");
  const Registry registry;
  expect(logged(registry));
}

TEST_F(Warnings, log_level_is_none) {
  const Variable level("BKR_LOG", "verbose");
  const Registry registry;
  expect(logged(registry));
}

TEST_F(Warnings, cache_is_neither_on_nor_off) {
  const Variable cache("BKR_CACHE", "yes");
  const Registry registry;
  expect(logged(registry));
}

TEST_F(Warnings, variable_names_members_of_several_families) {
  const Variable variable("BKR_OVERRIDE_TOKEN_SAMPLER_GREEDY", "x.Y");
  const Registry registry;
  for (const auto &[family, name] : {std::pair("token", "SAMPLER_GREEDY"), std::pair("token_sampler", "GREEDY")}) {
    ASSERT_EQ(bkr_family_add(registry.get(), family, "sampler backend", nullptr, nullptr), BKR_OK);
    ASSERT_EQ(bkr_member_register(registry.family(family), name, nullptr, nullptr, nullptr), BKR_OK);
  }
  expect(logged(registry));
}

TEST_F(Warnings, several_plugins_provide_a_path) {
  dir.drop(built("good"), "first.so");
  dir.drop(built("good").with_id("test.second"), "second.so");
  const Registry registry(dir);
  expect(logged(registry));
}

TEST_F(Warnings, several_plugins_bring_a_name) {
  dir.drop(built("good"), "first.so");
  dir.drop(built("good").with_id("test.second").with_path("test.second.Backend"), "second.so");
  const Registry registry(dir);
  expect(logged(registry));
}

TEST_F(Warnings, any_user_may_write) {
  fs::create_directory(dir / "open");
  ::chmod(dir.drop(built("good"), "open/good.so").c_str(), 0777);
  ::chmod((dir / "open").c_str(), 0777);
  const Registry registry(Configuration{{dir / "open"}});
  expect(logged(registry));
}

TEST_F(Warnings, file_belongs_to_another) {
  if (::geteuid() != 0) GTEST_SKIP() << "giving a file away takes root";
  ASSERT_EQ(::chown(dir.drop(built("good"), "good.so").c_str(), 12345, static_cast<gid_t>(-1)), 0);
  const Registry registry(dir);
  expect(logged(registry));
}

TEST_F(Warnings, process_is_elevated) {
  const Child child = run_elevated_child(
      dir.path(), {"report", "-"}, {{"BKR_PLUGIN_PATH", "/opt/plugins"}, {"BKR_OVERRIDE_ATTENTION_CUSTOM", "x.Y"}});
  if (child.exit_code == kCannotElevate) GTEST_SKIP() << "no program can be made elevated here";
  ASSERT_TRUE(child.ended_well());
  expect(child.err);
}

TEST_F(Warnings, default_registry_is_closed) {
  const Child child = in_child([] {
    const Variable no_directories("BKR_DEFAULT_DIRS", "0");
    bkr_registry *registry = nullptr;
    ASSERT_EQ(bkr_registry_default(&registry, nullptr), BKR_OK);
    bkr_registry_close(registry);
    bkr_registry_close(registry);
  });
  ASSERT_TRUE(child.ended_well());
  expect(child.err);
}

}  // namespace
}  // namespace golden
