// SPDX-License-Identifier: Apache-2.0
// Taking libraries out of memory, where the configuration allows it.
#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "child.h"
#include "loading_fixture.h"

namespace loading {
namespace {

namespace fs = std::filesystem;

Configuration unloading(const TempDir &dir) { return {{dir.path()}, BKR_CONFIG_ALLOW_UNLOAD}; }

Answer unload(const Registry &registry, const std::string &file) {
  return say([&](bkr_error *error) { return bkr_library_unload(registry.get(), file.c_str(), error); });
}

TEST(Loading, T1_LiveBackendKeepsItsLibrary) {
  const TempDir dir;
  const std::string file = dir.drop(built("good"), "good.so");
  const Registry registry(unloading(dir));
  Made one = registry.open("GOOD");
  Made two = Registry(dir).open("GOOD");  // of another registry, which is closed by now
  ASSERT_TRUE(ok(one.answer));
  ASSERT_TRUE(ok(two.answer));

  EXPECT_TRUE(failed(unload(registry, file), BKR_BUSY, BKR_STAGE_NONE, {file, "2 backends of it are alive"}));
  EXPECT_EQ(one.backend.code(), LOADING_CODE);
  one.backend.destroy();
  EXPECT_TRUE(failed(unload(registry, file), BKR_BUSY, BKR_STAGE_NONE, {file, "1 backend of it is alive"}));
  EXPECT_EQ(two.backend.code(), LOADING_CODE);
  two.backend.destroy();
  EXPECT_EQ(registry.explain("GOOD")["loaded"], true);

  const uint64_t epoch = bkr_registry_epoch(registry.get());
  EXPECT_TRUE(ok(unload(registry, file)));
  EXPECT_EQ(mapped_in(dir), std::vector<std::string>());
  EXPECT_GT(bkr_registry_epoch(registry.get()), epoch);
  EXPECT_EQ(registry.explain("GOOD")["loaded"], false);
}

TEST(Loading, T1_FactoryOutlivesItsLibrary) {
  const TempDir dir;
  const std::string file = dir.drop(built("good"), "good.so");
  const Registry registry(unloading(dir));
  bkr_factory *factory = nullptr;
  bkr_factory *again = nullptr;
  ASSERT_EQ(bkr_member_load(registry.member("GOOD"), &factory, nullptr), BKR_OK);
  ASSERT_TRUE(ok(unload(registry, file)));

  bkr_backend *backend = nullptr;
  ASSERT_TRUE(ok(say([&](bkr_error *error) { return bkr_factory_create(factory, nullptr, 0, &backend, error); })));
  EXPECT_EQ(Backend(backend).code(), LOADING_CODE);
  EXPECT_EQ(code_that_ran_in(dir), std::vector<std::string>({file, file}));

  ASSERT_TRUE(ok(unload(registry, file)));
  EXPECT_EQ(bkr_member_load(registry.member("GOOD"), &again, nullptr), BKR_OK);
  EXPECT_EQ(again, factory);
  EXPECT_EQ(mapped_in(dir), std::vector<std::string>{file});
}

TEST(Loading, T1_ReplacedFileIsNotTakenForTheOneThatWasUnloaded) {
  const TempDir dir;
  const std::string file = dir.drop(built("good").with_code("old"), "good.so");
  const Registry registry(unloading(dir));
  bkr_factory *factory = nullptr;
  ASSERT_EQ(bkr_member_load(registry.member("GOOD"), &factory, nullptr), BKR_OK);
  ASSERT_TRUE(ok(unload(registry, file)));
  dir.drop(built("good").with_code("new"), "good.so");

  bkr_backend *backend = nullptr;
  EXPECT_TRUE(failed(say([&](bkr_error *error) { return bkr_factory_create(factory, nullptr, 0, &backend, error); }),
                     BKR_STALE, BKR_STAGE_LOAD, {file, "Rescan"}));
  ASSERT_TRUE(ok(registry.rescan()));
  EXPECT_EQ(registry.open("GOOD").backend.code(), "new");
}

// A file that had a second name, which is another file's by now.
TEST(Loading, T1_UnloadingAFileLeavesTheOneThatHadItsNameBefore) {
  const TempDir dir, other;
  const std::string file = dir.drop(built("good"), "good.so");
  const std::string name = other / "good.so";
  std::filesystem::create_hard_link(file, name);
  const Registry registry(unloading(dir)), of_name(unloading(other));
  ASSERT_TRUE(ok(registry.load("GOOD")));
  ASSERT_TRUE(ok(of_name.load("GOOD")));
  std::filesystem::remove(name);
  other.drop(built("good").with_code("new"), "good.so");
  EXPECT_TRUE(failed(unload(of_name, name), BKR_WRONG_STATE, BKR_STAGE_NONE, {name, "not loaded"}));
  EXPECT_EQ(mapped_in(dir), std::vector<std::string>{file});
  EXPECT_TRUE(ok(unload(registry, file)));
}

// A link that led to a file when the directory was scanned, and leads to another one now.
TEST(Loading, T1_UnloadingALinkIsAboutTheFileThatItLeadsToNow) {
  const TempDir dir, other;
  const std::string file = dir.drop(built("good"), "good.so");
  const std::string now = other.drop(built("good").with_code("new"), "good.so");
  const std::string link = dir / "link.so";
  std::filesystem::create_symlink(file, link);
  const Registry registry(unloading(dir));
  ASSERT_TRUE(ok(registry.load("GOOD")));
  std::filesystem::remove(link);
  std::filesystem::create_symlink(now, link);
  EXPECT_TRUE(failed(unload(registry, link), BKR_WRONG_STATE, BKR_STAGE_NONE, {now, "not loaded"}));
  EXPECT_EQ(mapped_in(dir), std::vector<std::string>{file});
}

TEST(Loading, T1_StaysResidentAndSaysWhy) {
  struct Kind {
    const char *plugin;
    const char *member;
    const char *reason;
  };
  for (const Kind &kind : {Kind{"nodelete", "GOOD", "-z nodelete"}, Kind{"unique", "UNIQUE", "unique in the process"},
                           Kind{"thread_local", "THREAD_LOCAL", "thread-local objects with destructors"}}) {
    const TempDir dir;
    const std::string file = dir.drop(built(kind.plugin), "plugin.so");
    const Registry registry(unloading(dir));
    ASSERT_TRUE(ok(registry.open(kind.member).answer)) << kind.plugin;

    EXPECT_TRUE(failed(unload(registry, file), BKR_STAYS_RESIDENT, BKR_STAGE_NONE, {file, kind.reason})) << kind.plugin;
    EXPECT_EQ(mapped_in(dir), std::vector<std::string>{file}) << kind.plugin;
    // It is still good for use, and its constructors do not run again.
    EXPECT_TRUE(ok(registry.open(kind.member).answer)) << kind.plugin;
  }
}

TEST(Loading, T1_GoesWhenTheThreadsThatHeldItAreGone) {
  const TempDir dir;
  const std::string file = dir.drop(built("thread_local"), "plugin.so");
  const Registry registry(unloading(dir));
  std::thread([&] {
    EXPECT_TRUE(ok(registry.open("THREAD_LOCAL").answer));
    EXPECT_EQ(unload(registry, file).status, BKR_STAYS_RESIDENT);
  }).join();
  ASSERT_TRUE(ok(registry.load("THREAD_LOCAL")));
  EXPECT_TRUE(ok(unload(registry, file)));
  EXPECT_EQ(mapped_in(dir), std::vector<std::string>());
}

TEST(Loading, T1_OpenElsewhereStaysResident) {
  const TempDir dir;
  const std::string file = dir.drop(built("good"), "good.so");
  const Registry registry(unloading(dir));
  ASSERT_TRUE(ok(registry.load("GOOD")));
  void *handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_TRUE(failed(unload(registry, file), BKR_STAYS_RESIDENT, BKR_STAGE_NONE, {file, "has it open too"}));
  ::dlclose(handle);
  EXPECT_EQ(mapped_in(dir), std::vector<std::string>());
}

TEST(Loading, T1_ResidentCodeIsNeverTakenForAnotherFiles) {
  const TempDir dir;
  const std::string file = dir.drop(built("nodelete").with_code("old"), "good.so");
  const Registry registry(unloading(dir));
  ASSERT_TRUE(ok(registry.load("GOOD")));
  ASSERT_EQ(unload(registry, file).status, BKR_STAYS_RESIDENT);
  dir.drop(built("nodelete").with_code("new"), "good.so");
  ASSERT_TRUE(ok(registry.rescan()));
  EXPECT_EQ(registry.open("GOOD").backend.code(), "new");
}

TEST(Loading, T1_OnlyWhatIsLoadedAndWhereItIsAllowed) {
  const TempDir dir;
  const std::string file = dir.drop(built("good"), "good.so");
  const Registry registry(unloading(dir));
  EXPECT_TRUE(failed(unload(registry, file), BKR_WRONG_STATE, BKR_STAGE_NONE, {file, "is not loaded"}));
  EXPECT_TRUE(failed(unload(registry, dir / "none.so"), BKR_NOT_FOUND, BKR_STAGE_OPEN, {dir / "none.so"}));
  ASSERT_TRUE(ok(registry.load("GOOD")));
  EXPECT_TRUE(
      failed(unload(Registry(dir), file), BKR_DENIED, BKR_STAGE_NONE, {file, "BKR_CONFIG_ALLOW_UNLOAD", "bkr_config"}));
  EXPECT_EQ(mapped_in(dir), std::vector<std::string>{file});
}

TEST(Loading, T1_ByAnyNameAndAfterTheFileIsGone) {
  const TempDir dir;
  const std::string file = dir.drop(built("good"), "good.so");
  fs::create_symlink(file, dir / "link.so");
  fs::create_hard_link(file, dir / "second.so");
  const Registry registry(unloading(dir));
  for (const std::string &name : {dir / "link.so", dir / "second.so", dir.path() + "//./good.so"}) {
    ASSERT_TRUE(ok(registry.load("GOOD")));
    EXPECT_TRUE(ok(unload(registry, name))) << name;
    EXPECT_EQ(mapped_in(dir), std::vector<std::string>()) << name;
  }
  const TempDir elsewhere;
  fs::create_hard_link(file, elsewhere / "hard.so");
  ASSERT_TRUE(ok(registry.rescan()));  // the link changed its ctime
  ASSERT_TRUE(ok(registry.load("GOOD")));
  EXPECT_TRUE(ok(unload(registry, elsewhere / "hard.so")));
  EXPECT_EQ(mapped_in(dir), std::vector<std::string>());

  ASSERT_TRUE(ok(registry.load("GOOD")));
  fs::rename(file, dir / "renamed.so");
  EXPECT_TRUE(ok(unload(registry, dir / "renamed.so")));
  EXPECT_EQ(mapped_in(dir), std::vector<std::string>());

  fs::rename(dir / "renamed.so", file);
  ASSERT_TRUE(ok(registry.rescan()));
  ASSERT_TRUE(ok(registry.load("GOOD")));
  for (const std::string &name : {file, dir / "second.so", elsewhere / "hard.so"}) fs::remove(name);
  EXPECT_TRUE(ok(unload(registry, file)));
  EXPECT_EQ(mapped_in(dir), std::vector<std::string>());
}

TEST(Loading, T1_ReplacedFileHasTwoOpeningsThatManyThreadsUnload) {
  const TempDir dir;
  EXPECT_TRUE(in_child([&] {
                for (int round = 0; round < 50; ++round) {
                  const std::string file = dir.drop(built("good").with_code("old"), "good.so");
                  const Registry registry(unloading(dir));
                  ASSERT_TRUE(ok(registry.load("GOOD")));
                  dir.drop(built("good").with_code("new"), "good.so");
                  ASSERT_TRUE(ok(registry.rescan()));
                  ASSERT_TRUE(ok(registry.load("GOOD")));
                  std::vector<std::thread> threads;
                  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { unload(registry, file); });
                  for (std::thread &thread : threads) thread.join();
                  EXPECT_EQ(unload(registry, file).status, BKR_WRONG_STATE);
                }
              }).ended_well());
}

TEST(Loading, T1_DestructorThatAsksForItsOwnLibraryIsRefused) {
  const TempDir dir;
  const std::string file = dir.drop(built("good"), "good.so");
  const Registry registry(unloading(dir));
  ASSERT_TRUE(ok(registry.load("GOOD")));
  Answer inside, again;
  when_code_ends_next([&] {
    inside = registry.open("GOOD").answer;
    again = unload(registry, file);
  });
  EXPECT_TRUE(ok(unload(registry, file)));
  EXPECT_TRUE(failed(inside, BKR_REENTRANT, BKR_STAGE_LOAD, {file, "destructor"}));
  EXPECT_EQ(again.status, BKR_WRONG_STATE);
  EXPECT_EQ(mapped_in(dir), std::vector<std::string>());
  EXPECT_TRUE(ok(registry.open("GOOD").answer));
}

TEST(Loading, T1_FileWrittenOverInPlaceIsNotClosed) {
  const TempDir dir;
  const std::string file = dir.drop(built("good"), "good.so");
  EXPECT_TRUE(in_child([&] {
                const Registry registry(unloading(dir));
                ASSERT_TRUE(ok(registry.load("GOOD")));
                ::usleep(20000);  // coarse clocks of file systems
                std::ofstream(file, std::ios::binary) << built("several").bytes();
                EXPECT_TRUE(failed(unload(registry, file), BKR_STAYS_RESIDENT, BKR_STAGE_NONE, {file, "written over"}));
                std::fflush(nullptr);
                ::_exit(testing::Test::HasFailure() ? 1 : 0);  // its destructor is gone
              }).ended_well());
}

TEST(Loading, T2_LoadedAndUnloadedTenThousandTimes) {
  const TempDir dir;
  const std::string file = dir.drop(built("good"), "good.so");
  EXPECT_TRUE(run_child({"cycle", dir.path(), "GOOD", file}).ended_well());
}

}  // namespace
}  // namespace loading
