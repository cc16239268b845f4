// SPDX-License-Identifier: Apache-2.0
// What is not found, and where it was looked for.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "golden.h"

namespace golden {
namespace {

namespace fs = std::filesystem;

class Places : public Golden {
 protected:
  static Answer override_with(const Registry &registry, const std::string &path) {
    return say([&](bkr_error *error) { return bkr_member_override(registry.member("CUSTOM"), path.c_str(), error); });
  }
};

TEST_F(Places, nobody_provides_in_no_directory) {
  const Registry registry;
  expect(registry.load("CPU_ATTN"), registry);
}

TEST_F(Places, nobody_provides_a_path_in_no_directory) {
  const Registry registry;
  expect(registry.load_path("no.such.Backend"), registry);
}

TEST_F(Places, nobody_provides_in_every_kind_of_directory) {
  for (const char *name : {"empty", "one", "two", "denied", "data"}) fs::create_directory(dir / name);
  dir.drop(built("good"), "one/good.so");
  dir.drop(built("good").named("SECOND"), "two/good.so");
  dir.drop(built("several"), "two/several.so");
  dir.drop(built("good").named("ALONE"), "alone.so");
  dir.drop("no directory", "file");
  fs::create_symlink("loop", dir / "loop");
  ::chmod((dir / "denied").c_str(), 0);
  expect_from_child_without_root([&] {
    const Variable path("BKR_PLUGIN_PATH", (dir / "two") + ":" + (dir / "alone.so") + ":" + (dir / "one"));
    const Variable data("XDG_DATA_HOME", dir / "data");
    Configuration configuration;
    for (const char *name : {"one", "empty", "missing", "denied", "file", "loop"}) {
      configuration.dirs.push_back(dir / name);
    }
    configuration.default_dirs = true;
    const Registry registry(configuration);
    return told(registry.load_path("no.such.Backend"), registry);
  });
  ::chmod((dir / "denied").c_str(), 0755);
}

TEST_F(Places, nobody_provides_a_path) {
  const Registry registry(dir);
  expect(registry.resolve_path("no.such.Backend", "mamba"), registry);
}

TEST_F(Places, nobody_provides_what_the_environment_says) {
  const Variable variable("BKR_OVERRIDE_ATTENTION_CUSTOM", "no.such.Backend");
  const Registry registry(dir);
  expect(registry.load("CUSTOM"), registry);
}

TEST_F(Places, file_name_is_not_found) {
  const Registry registry(dir);
  ASSERT_TRUE(ok(override_with(registry, "libmine.so")));
  expect(registry.load("CUSTOM"), registry);
}

TEST_F(Places, file_is_not_found) {
  const Registry registry(dir);
  ASSERT_TRUE(ok(override_with(registry, dir / "libmine.so")));
  expect(registry.load("CUSTOM"), registry);
}

TEST_F(Places, file_of_a_path_is_not_found) {
  const Registry registry(dir);
  expect(registry.load_path((dir / "libmine.so") + "::make_it"), registry);
}

TEST_F(Places, file_of_the_environment_is_not_found) {
  const Variable variable("BKR_OVERRIDE_ATTENTION_CUSTOM", dir / "libmine.so");
  const Registry registry(dir);
  expect(registry.load("CUSTOM"), registry);
}

TEST_F(Places, relative_file_is_not_found) {
  expect_from_child([&] {
    fs::current_path(dir.path());
    const Registry registry;
    EXPECT_TRUE(ok(override_with(registry, "plugins/libmine.so")));
    return told(registry.load("CUSTOM"), registry);
  });
}

TEST_F(Places, file_is_a_link_that_leads_nowhere) {
  fs::create_symlink(dir / "libreal.so", dir / "libmine.so");
  const Registry registry;
  expect(registry.load_path(dir / "libmine.so"), registry);
}

TEST_F(Places, inspected_file_is_not_found) {
  expect(told(say([&](bkr_error *error) {
    std::size_t need = 0;
    return bkr_inspect((dir / "libmine.so").c_str(), nullptr, 0, &need, error);
  })));
}

TEST_F(Places, inspected_file_is_a_link_that_leads_nowhere) {
  fs::create_symlink(dir / "libreal.so", dir / "libmine.so");
  expect(told(say([&](bkr_error *error) {
    std::size_t need = 0;
    return bkr_inspect((dir / "libmine.so").c_str(), nullptr, 0, &need, error);
  })));
}

TEST_F(Places, file_may_not_be_read) {
  const std::string file = dir.drop(built("good"), "good.so");
  ::chmod(file.c_str(), 0);
  expect_from_child_without_root([&] {
    const Registry registry;
    return told(registry.load_path(file), registry);
  });
}

TEST_F(Places, directory_of_the_file_may_not_be_entered) {
  fs::create_directory(dir / "closed");
  const std::string file = dir.drop(built("good"), "closed/good.so");
  ::chmod((dir / "closed").c_str(), 0);
  expect_from_child_without_root([&] {
    const Registry registry;
    return told(registry.load_path(file), registry);
  });
  ::chmod((dir / "closed").c_str(), 0755);
}

TEST_F(Places, file_is_a_link_to_itself) {
  fs::create_symlink("loop.so", dir / "loop.so");
  const Registry registry;
  expect(registry.load_path(dir / "loop.so"), registry);
}

}  // namespace
}  // namespace golden
