// SPDX-License-Identifier: Apache-2.0
// Usable files that the system's loader, or what they hold, makes a failure of.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "golden.h"

namespace golden {
namespace {

namespace fs = std::filesystem;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitizerOpensLibraries = true;
#else
constexpr bool kSanitizerOpensLibraries = false;
#endif

class Load : public Golden {};

TEST_F(Load, symbol_is_missing) {
  dir.drop(built("good").with_symbol("create_bakcend"), "good.so");
  const Registry registry(dir);
  expect(registry.load("GOOD"), registry);
}

TEST_F(Load, symbol_of_a_named_file_is_missing) {
  const std::string file = dir.drop(built("no_create"), "bare.so");
  const Registry registry;
  expect(registry.load_path(file), registry);
}

TEST_F(Load, symbol_is_of_another_library) {
  dir.drop(built("good").with_symbol("free"), "good.so");
  const Registry registry(dir);
  expect(registry.load("GOOD"), registry);
}

TEST_F(Load, symbol_is_undefined) {
  dir.drop(built("undefined"), "good.so");
  const Registry registry(dir);
  expect(registry.load("GOOD"), registry);
}

TEST_F(Load, dependency_is_missing) {
  dir.drop(built("needs_missing"), "good.so");
  const Registry registry(dir);
  expect(registry.load("GOOD"), registry);
}

TEST_F(Load, dependency_of_a_named_file_is_missing) {
  const std::string file = dir.drop(built("needs_missing"), "good.so");
  const Registry registry;
  expect(registry.load_path(file), registry);
}

TEST_F(Load, dependency_of_a_dependency_is_missing) {
  dir.drop(built("needs_half"), "good.so");
  dir.drop(built("libhalf"), "libhalf.so");
  const Registry registry(dir);
  expect(registry.load("GOOD"), registry);
}

TEST_F(Load, dependency_is_cut) {
  dir.drop(built("needs_beside"), "good.so");
  dir.drop(built("libbeside").cut(500), "libbeside.so");
  expect_from_child([&] {
    const Registry registry(dir);
    return told(registry.load("GOOD"), registry);
  });
}

TEST_F(Load, loader_would_change_the_path) {
  fs::create_directory(dir / "$LIB");
  const std::string file = dir.drop(built("good"), "$LIB/good.so");
  const Registry registry;
  expect(registry.load_path(file), registry);
}

TEST_F(Load, next_provider_is_named) {
  for (const char *name : {"first", "second"}) fs::create_directory(dir / name);
  dir.drop(built("undefined").with_id("test.first"), "first/good.so");
  dir.drop(built("good").with_id("test.second"), "second/good.so");
  const Registry registry(Configuration{{dir / "first", dir / "second"}});
  expect(registry.load("GOOD"), registry);
}

TEST_F(Load, file_was_replaced) {
  dir.drop(built("good"), "good.so");
  const Registry registry(dir);
  dir.drop(built("good").with_code("new"), "good.so");
  expect(registry.load("GOOD"), registry);
}

TEST_F(Load, file_was_removed) {
  const std::string file = dir.drop(built("good"), "good.so");
  const Registry registry(dir);
  fs::remove(file);
  expect(registry.load("GOOD"), registry);
}

TEST_F(Load, file_was_replaced_by_a_link_to_itself) {
  const std::string file = dir.drop(built("good"), "good.so");
  const Registry registry(dir);
  fs::remove(file);
  fs::create_symlink("good.so", file);
  expect(registry.load("GOOD"), registry);
}

TEST_F(Load, file_was_written_over_while_in_use) {
  const std::string file = dir.drop(built("good").with_code("old"), "good.so");
  expect_from_child([&] {
    const Registry registry(dir);
    EXPECT_TRUE(ok(registry.load("GOOD")));
    ::usleep(20000);  // coarse clocks of file systems
    std::ofstream(file, std::ios::binary | std::ios::in) << built("good").with_code("new").bytes();
    EXPECT_TRUE(ok(registry.rescan()));
    return told(registry.load("GOOD"), registry);
  });
}

TEST_F(Load, process_was_forked_while_the_file_was_loaded) {
  dir.drop(built("good"), "good.so");
  expect_from_child([&] {
    const Registry registry(dir);
    std::string of_the_fork;
    when_code_runs_next([&] {
      int ends[2];
      if (::pipe(ends) != 0) return;
      if (const pid_t child = ::fork(); child == 0) {
        const std::string text = told(registry.load("GOOD"), registry);
        ::_exit(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
      }
      ::close(ends[1]);
      char buffer[4096];
      for (ssize_t size = 0; (size = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
        of_the_fork.append(buffer, static_cast<std::size_t>(size));
      }
      ::close(ends[0]);
      ::wait(nullptr);
    });
    EXPECT_TRUE(ok(registry.load("GOOD")));
    return of_the_fork;
  });
}

TEST_F(Load, constructor_throws) {
  if (kSanitizerOpensLibraries) GTEST_SKIP() << "its dlopen() lets no exception through: it ends the process";
  dir.drop(built("throwing"), "throwing.so");
  expect_from_child([&] {
    const Registry registry(dir);
    return told(registry.load("THROWING"), registry);
  });
}

TEST_F(Load, constructor_threw_on_another_thread) {
  if (kSanitizerOpensLibraries) GTEST_SKIP() << "its dlopen() lets no exception through: it ends the process";
  dir.drop(built("throwing"), "throwing.so");
  dir.drop(built("good"), "good.so");
  expect_from_child([&] {
    const Registry registry(dir);
    std::thread([&] { registry.load("THROWING"); }).join();
    return told(Registry(dir).load("GOOD"));
  });
}

}  // namespace
}  // namespace golden
