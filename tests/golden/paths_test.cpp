// SPDX-License-Identifier: Apache-2.0
// Paths that cannot be given, and paths that lead nowhere by their form.
#include <unistd.h>

#include <filesystem>

#include "golden.h"

namespace golden {
namespace {

namespace fs = std::filesystem;

bkr_status BKR_CALL create_nothing(const bkr_create_args *, bkr_backend **, bkr_error *) { return BKR_INTERNAL; }

class Paths : public Golden {
 protected:
  Answer override_with(const std::string &path) const {
    return say([&](bkr_error *error) { return bkr_member_override(registry.member("CUSTOM"), path.c_str(), error); });
  }
  Answer provide(const std::string &path) const {
    return say(
        [&](bkr_error *error) { return bkr_provide(registry.family(), path.c_str(), create_nothing, nullptr, error); });
  }
  // CUSTOM's path is this by the environment.
  std::string told_of_environment(const std::string &path) const {
    const Variable variable("BKR_OVERRIDE_ATTENTION_CUSTOM", path);
    const Registry opened;
    return told(opened.load("CUSTOM"), opened);
  }
  void go_to_deleted_directory() const {
    fs::create_directory(dir / "deleted");
    fs::current_path(dir / "deleted");
    fs::remove(dir / "deleted");
  }

  const Registry registry;
};

TEST_F(Paths, path_is_empty) { expect(override_with(""), registry); }
TEST_F(Paths, path_is_too_long) { expect(override_with("/" + std::string(4095, 'x')), registry); }
TEST_F(Paths, path_is_a_directory) { expect(override_with("/opt/plugins/"), registry); }
TEST_F(Paths, path_without_a_member_is_a_directory) { expect(registry.load_path("/opt/plugins/"), registry); }
TEST_F(Paths, path_of_a_new_name_is_a_directory) {
  expect(say([&](bkr_error *error) {
           return bkr_register_backend(registry.family(), "DYN", "/opt/plugins/", nullptr, error);
         }),
         registry);
}
TEST_F(Paths, path_is_relative_to_a_deleted_directory) {
  expect_from_child([&] {
    go_to_deleted_directory();
    return told(override_with("./libmine.so"), registry);
  });
}

TEST_F(Paths, path_of_the_environment_is_a_directory) { expect(told_of_environment("/opt/plugins/")); }
TEST_F(Paths, path_of_the_environment_is_too_long) { expect(told_of_environment("a." + std::string(4094, 'x'))); }
TEST_F(Paths, path_of_the_environment_is_relative_to_a_deleted_directory) {
  expect_from_child([&] {
    go_to_deleted_directory();
    return told_of_environment("./libmine.so");
  });
}

TEST_F(Paths, path_is_a_mere_word) {
  ASSERT_TRUE(ok(override_with("flash_attn")));
  expect(registry.load("CUSTOM"), registry);
}
TEST_F(Paths, path_of_the_environment_is_a_mere_word) { expect(told_of_environment("flash_attn")); }

TEST_F(Paths, provided_path_is_a_file) { expect(provide("/opt/libmine.so"), registry); }

TEST_F(Paths, symbol_is_no_backend_of_the_family) {
  const std::string file = dir.drop(built("several"), "several.so");
  expect(registry.load_path(file + "::create_other", "mla_prefill"), registry);
}
TEST_F(Paths, symbol_is_several_backends) {
  const std::string file = dir.drop(built("several"), "several.so");
  expect(registry.load_path(file), registry);
}
TEST_F(Paths, symbol_is_several_backends_and_none_is_the_member) {
  const std::string file = dir.drop(built("several"), "several.so");
  ASSERT_TRUE(ok(override_with(file)));
  expect(registry.load("CUSTOM"), registry);
}

}  // namespace
}  // namespace golden
