// SPDX-License-Identifier: Apache-2.0
// Sound plugins that are refused: by ABI, CPU level, policy and filters; and names with none but such.
#include <backend_registry/descriptor.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "golden.h"

namespace golden {
namespace {

namespace fs = std::filesystem;

class Providers : public Golden {
 protected:
  static PluginBytes of_next_abi() {
    return built("good")
        .with_header(offsetof(bkr_descriptor_header, abi_major), uint16_t{9})
        .with_header(offsetof(bkr_descriptor_header, abi_minor), uint16_t{0});
  }
  std::string drop_writable() const {
    const std::string file = dir.drop(built("good"), "good.so");
    ::chmod(file.c_str(), 0777);
    return file;
  }
  Configuration strict() const { return {{dir.path()}, BKR_CONFIG_STRICT}; }
};

TEST_F(Providers, abi_is_another) {
  dir.drop(of_next_abi(), "good.so");
  const Registry registry(dir);
  expect(registry.load("GOOD"), registry);
}

TEST_F(Providers, abi_of_a_named_file_is_another) {
  const std::string file = dir.drop(of_next_abi(), "good.so");
  const Registry registry;
  expect(registry.load_path(file), registry);
}

TEST_F(Providers, abi_is_newer) {
  dir.drop(built("good")
               .with_header(offsetof(bkr_descriptor_header, abi_minor_min), uint16_t{9})
               .with_header(offsetof(bkr_descriptor_header, abi_minor), uint16_t{9}),
           "good.so");
  const Registry registry(dir);
  expect(registry.load("GOOD"), registry);
}

TEST_F(Providers, cpu_level_is_not_met) {
  dir.drop(built("good").with_cpu_level("x86-64-v9"), "good_v9.so");
  const Registry registry(dir);
  expect(registry.load("GOOD"), registry);
}

TEST_F(Providers, cpu_level_of_a_named_file_is_not_met) {
  const std::string file = dir.drop(built("good").with_cpu_level("x86-64-v9"), "good_v9.so");
  const Registry registry;
  expect(registry.load_path(file), registry);
}

TEST_F(Providers, cpu_level_of_one_record_is_not_met) {
  const std::string file = dir.drop(built("several").with_cpu_level("x86-64-v9"), "several.so");
  const Registry registry(dir);
  expect(registry.load("FLASH_ATTN"), registry);
}

TEST_F(Providers, plugin_is_disabled) {
  dir.drop(built("good"), "good.so");
  const Variable disable("BKR_DISABLE", "other,test.*");
  const Registry registry(dir);
  expect(registry.load_path(path_of("good")), registry);
}

TEST_F(Providers, plugin_is_not_enabled) {
  dir.drop(built("good"), "good.so");
  const Variable enable("BKR_ENABLE", "other");
  const Registry registry(dir);
  expect(registry.load_path(path_of("good")), registry);
}

TEST_F(Providers, name_is_of_a_plugin_that_is_disabled) {
  dir.drop(built("good"), "good.so");
  const Variable disable("BKR_DISABLE", "other,test.*");
  const Registry registry(dir);
  expect(registry.find("GOOD"), registry);
}

TEST_F(Providers, name_is_of_a_plugin_that_is_not_enabled) {
  dir.drop(built("good"), "good.so");
  const Variable enable("BKR_ENABLE", "other");
  const Registry registry(dir);
  expect(registry.open("GOOD").answer, registry);
}

TEST_F(Providers, name_is_of_a_plugin_that_the_policy_refuses) {
  drop_writable();
  const Registry registry(strict());
  expect(registry.find("GOOD"), registry);
}

TEST_F(Providers, policy_refuses_a_file_that_any_user_may_write) {
  drop_writable();
  const Registry registry(strict());
  expect(registry.load_path(path_of("good")), registry);
}

TEST_F(Providers, policy_refuses_a_named_file_that_any_user_may_write) {
  const std::string file = drop_writable();
  const Registry registry(Configuration{{}, BKR_CONFIG_STRICT});
  expect(registry.load_path(file), registry);
}

TEST_F(Providers, policy_refuses_a_directory_that_any_user_may_write) {
  dir.drop(built("good"), "good.so");
  ::chmod(dir.path().c_str(), 0777);
  const Registry registry(strict());
  expect(registry.load_path(path_of("good")), registry);
}

TEST_F(Providers, policy_refuses_what_belongs_to_another) {
  if (::geteuid() != 0) GTEST_SKIP() << "giving a file away takes root";
  const std::string file = dir.drop(built("good"), "good.so");
  ASSERT_EQ(::chown(file.c_str(), 12345, static_cast<gid_t>(-1)), 0);
  const Registry registry(strict());
  expect(registry.load_path(path_of("good")), registry);
}

TEST_F(Providers, policy_refuses_a_directory_that_belongs_to_another) {
  if (::geteuid() != 0) GTEST_SKIP() << "giving a directory away takes root";
  dir.drop(built("good"), "good.so");
  ASSERT_EQ(::chown(dir.path().c_str(), 12345, static_cast<gid_t>(-1)), 0);
  const Registry registry(strict());
  expect(registry.load_path(path_of("good")), registry);
}

TEST_F(Providers, several_providers_and_none_is_usable) {
  for (const char *name : {"first", "second"}) fs::create_directory(dir / name);
  dir.drop(of_next_abi(), "first/good.so");
  dir.drop(built("good").with_cpu_level("x86-64-v9"), "second/good.so");
  dir.drop(built("good").with_id("test.off"), "second/good_too.so");
  const Variable disable("BKR_DISABLE", "test.off");
  const Registry registry(Configuration{{dir / "first", dir / "second"}});
  expect(registry.load("GOOD"), registry);
}

}  // namespace
}  // namespace golden
