// SPDX-License-Identifier: Apache-2.0
// What lives how long.
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "child.h"
#include "loading_fixture.h"

namespace loading {
namespace {

namespace fs = std::filesystem;

TEST(Loading, T5_StaticObjectUsesTheRegistryAfterMain) {
  const TempDir dir;
  dir.drop(built("good"), "good.so");
  const Child child = run_child({"static", dir.path(), "GOOD"});
  EXPECT_TRUE(child.ended_well());
  EXPECT_EQ(child.out, "used after main\n");
}

TEST(Loading, T5_RegistryThatIsOpenedAndClosedAHundredTimes) {
  const TempDir dir;
  dir.drop(built("good"), "good.so");
  const Child child = run_opener({dir.path(), "GOOD"});
  EXPECT_TRUE(child.ended_well());
  EXPECT_EQ(child.out, "100 times GOOD, and once more after the last closing\n");
}

TEST(Loading, T6_ProcessEndsWithALiveBackendAndARunningThread) {
  const TempDir dir;
  dir.drop(built("good"), "good.so");
  dir.drop(built("twin_a"), "twin.so");
  EXPECT_TRUE(run_child({"keep", dir.path(), "GOOD"}).ended_well());
  EXPECT_TRUE(run_child({"keep", dir.path(), "TWIN_A"}).ended_well());
  EXPECT_TRUE(run_child({"keep", dir.path(), "GOOD", "thread"}).ended_well());
}

TEST(Loading, T7_BackendOutlivesItsRegistry) {
  const TempDir dir;
  dir.drop(built("twin_a"), "twin.so");
  Registry registry(dir);
  Made made = registry.open("TWIN_A", {{"throw", "destroy"}});
  ASSERT_TRUE(ok(made.answer));
  registry.close();

  EXPECT_EQ(made.backend.name(), "TWIN_A");
  EXPECT_EQ(made.backend.code(), "TWIN_A");
  EXPECT_EQ(bkr_backend_init(made.backend.get(), nullptr, nullptr), BKR_OK);
  made.backend.destroy();
  // The log is there until then.
  EXPECT_EQ(registry.logged({"TWIN_A", "destroy is out of order"}), 1);
}

TEST(Loading, T7_LibraryStaysForTheNextRegistry) {
  const TempDir dir;
  const std::string file = dir.drop(built("good"), "good.so");
  for (int i = 0; i < 3; ++i) {
    const Registry registry(dir);
    EXPECT_TRUE(ok(registry.open("GOOD").answer));
  }
  EXPECT_EQ(mapped_in(dir), std::vector<std::string>{file});
  EXPECT_EQ(code_that_ran_in(dir).size(), 1u);
}

TEST(Loading, T11_ReplacedFileIsStaleUntilTheRescan) {
  const TempDir dir;
  const std::string file = dir.drop(built("good").with_code("old"), "good.so");
  const Registry registry(dir);
  dir.drop(built("good").with_code("new"), "good.so");

  EXPECT_TRUE(failed(registry.load("GOOD"), BKR_STALE, BKR_STAGE_LOAD, {"attention.GOOD", file, "Rescan"}));
  ASSERT_TRUE(ok(registry.rescan()));
  EXPECT_EQ(registry.open("GOOD").backend.code(), "new");
}

TEST(Loading, T11_ReplacedFileThatWasLoadedIsLoadedAnewAfterARescan) {
  const TempDir dir;
  const std::string file = dir.drop(built("good").with_code("old"), "good.so");
  const Registry registry(dir);
  const Made before = registry.open("GOOD");
  ASSERT_TRUE(ok(before.answer));
  dir.drop(built("good").with_code("new"), "good.so");
  ASSERT_TRUE(ok(registry.rescan()));

  const Made after = registry.open("GOOD");
  ASSERT_TRUE(ok(after.answer));  // contract 10: new loads get the new file under a new opening
  EXPECT_EQ(after.backend.code(), "new");
  EXPECT_EQ(before.backend.code(), "old");
}

TEST(Loading, T11_ReplacedFileThatTheHostItselfHasOpenIsLoadedAnew) {
  const TempDir dir;
  const std::string file = dir.drop(built("good").with_code("old"), "good.so");
  void *handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr);
  dir.drop(built("good").with_code("new"), "good.so");
  EXPECT_EQ(Registry(dir).open("GOOD").backend.code(), "new");
  ::dlclose(handle);
}

TEST(Loading, T11_FileThatTheHostItselfHasOpenIsTheSameCode) {
  const TempDir dir;
  const std::string file = dir.drop(built("good"), "good.so");
  void *handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr);
  EXPECT_TRUE(ok(Registry(dir).open("GOOD").answer));
  EXPECT_EQ(code_that_ran_in(dir), std::vector<std::string>{file});
  ::dlclose(handle);
}

TEST(Loading, T11_FileThatOnlyChangedItsRightsIsTheSameFile) {
  const TempDir dir;
  const std::string file = dir.drop(built("good"), "good.so");
  const Registry registry(dir);
  const Made before = registry.open("GOOD");
  ASSERT_TRUE(ok(before.answer));
  ::chmod(file.c_str(), 0700);  // another ctime, and nothing else
  ASSERT_TRUE(ok(registry.rescan()));

  EXPECT_TRUE(ok(registry.open("GOOD").answer));
  EXPECT_TRUE(ok(Registry(dir).open("GOOD").answer));
  EXPECT_EQ(code_that_ran_in(dir).size(), 1u);
}

TEST(Loading, T11_FileThatGotAnotherNameIsTheSameFile) {
  const TempDir dir;
  const std::string file = dir.drop(built("good"), "good.so");
  const Registry registry(dir);
  ASSERT_TRUE(ok(registry.open("GOOD").answer));
  for (const std::string name : {"later.so", "earlier.so"}) {
    fs::create_hard_link(file, dir / name);
    ASSERT_TRUE(ok(registry.rescan()));
    EXPECT_TRUE(ok(registry.open("GOOD").answer)) << name;
  }
  EXPECT_EQ(code_that_ran_in(dir).size(), 1u);
}

TEST(Loading, T11_FileWrittenOverInPlaceIsNeverTheOldCode) {
  const TempDir dir;
  const std::string file = dir.drop(built("good").with_code("old"), "good.so");
  EXPECT_TRUE(in_child([&] {
                const Registry registry(dir);
                ASSERT_TRUE(ok(registry.load("GOOD")));
                ::usleep(20000);  // coarse clocks of file systems
                std::ofstream(file, std::ios::binary | std::ios::in) << built("good").with_code("new").bytes();
                ASSERT_TRUE(ok(registry.rescan()));
                // The code in memory is neither the one nor the other now.
                EXPECT_TRUE(failed(registry.load("GOOD"), BKR_STALE, BKR_STAGE_LOAD, {file}));
              }).ended_well());
}

TEST(Loading, T11_RemovedPluginKeepsItsMemberAndItsBackends) {
  const TempDir dir;
  const std::string file = dir.drop(built("good"), "good.so");
  const Registry registry(dir);
  bkr_member *member = registry.member("GOOD");
  const Made made = registry.open("GOOD");
  ASSERT_TRUE(ok(made.answer));
  fs::remove(file);
  ASSERT_TRUE(ok(registry.rescan()));

  EXPECT_EQ(registry.member("GOOD"), member);
  EXPECT_TRUE(failed(registry.load("GOOD"), BKR_NOT_FOUND, BKR_STAGE_NONE, {dir.path()}));
  EXPECT_EQ(made.backend.code(), LOADING_CODE);
}

}  // namespace
}  // namespace loading
