// SPDX-License-Identifier: Apache-2.0
// Several threads at once.
#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "loading_fixture.h"

namespace loading {
namespace {

TEST(Loading, T3_ColdBackendAskedForByManyThreads) {
  const TempDir dir;
  const std::string file = dir.drop(built("good"), "good.so");
  const Registry registry(dir);
  std::atomic<bool> go{false};
  std::vector<Made> made(16);
  std::vector<bkr_factory *> factories(16);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < made.size(); ++i) {
    threads.emplace_back([&, i] {
      while (!go) std::this_thread::yield();
      made[i] = registry.open("GOOD");
      bkr_member_load(registry.member("GOOD"), &factories[i], nullptr);
    });
  }
  go = true;
  for (std::thread &thread : threads) thread.join();

  std::set<bkr_backend *> backends;
  for (const Made &one : made) {
    ASSERT_TRUE(ok(one.answer));
    backends.insert(one.backend.get());
  }
  EXPECT_EQ(backends.size(), 16u);
  EXPECT_EQ(std::set<bkr_factory *>(factories.begin(), factories.end()).size(), 1u);
  EXPECT_EQ(code_that_ran_in(dir), std::vector<std::string>{file});
}

TEST(Loading, T3_ErrorsOfThreadsAreNotSwapped) {
  const TempDir dir;
  dir.drop(built("undefined").named("UNDEFINED"), "undefined.so");
  dir.drop(built("needs_missing").named("MISSING"), "missing.so");
  dir.drop(built("no_create_but_record").named("NO_CREATE"), "no_create.so");
  const Registry registry(dir);
  const std::pair<const char *, const char *> cases[] = {{"UNDEFINED", "loading_nobody_has_this"},
                                                         {"MISSING", "libmissing.so"},
                                                         {"NO_CREATE", "no symbol create_backend"}};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 6; ++i) {
    threads.emplace_back([&, i] {
      const auto &[name, word] = cases[i % 3];
      for (int n = 0; n < 100; ++n) EXPECT_TRUE(has(registry.load(name).text, {name, word}));
    });
  }
  for (std::thread &thread : threads) thread.join();
}

// Unloading looks a file's name up in what a scan found, which a rescan frees when it has another one: the address
// sanitizer sees what reads it then. Many files, so that looking one up takes long enough.
TEST(Loading, T4_UnloadingBesideRescans) {
  const TempDir dir;
  std::string file;
  for (int i = 0; i < 20; ++i) file = dir.drop(built("good"), "good" + std::to_string(i) + ".so");
  const Registry registry(Configuration{{dir.path()}, BKR_CONFIG_ALLOW_UNLOAD});
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      while (!stop) EXPECT_EQ(bkr_library_unload(registry.get(), file.c_str(), nullptr), BKR_WRONG_STATE);
    });
  }
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(ok(registry.rescan()));
  stop = true;
  for (std::thread &thread : threads) thread.join();
}

TEST(Loading, T4_NamedFilesBesideRescans) {
  const TempDir dir, elsewhere;
  const std::string file = elsewhere.drop(built("good"), "good.so");
  const Registry registry(dir);
  std::atomic<bool> stop{false};
  std::thread rescanning([&] {
    while (!stop) EXPECT_TRUE(ok(registry.rescan()));
  });
  for (int i = 0; i < 5000 && !HasFailure(); ++i) {
    bkr_factory *factory = nullptr;
    bkr_backend *backend = nullptr;
    EXPECT_EQ(bkr_path_load(registry.family(), file.c_str(), &factory, nullptr), BKR_OK);
    EXPECT_EQ(bkr_factory_create(factory, nullptr, 0, &backend, nullptr), BKR_OK);
    bkr_backend_destroy(backend);
  }
  stop = true;
  rescanning.join();
}

TEST(Loading, T4_ThreadsThatDoEverythingAtOnce) {
  const TempDir dir;
  const std::string file = dir.drop(built("good").named("GOOD"), "good.so");
  dir.drop(built("good").named("OTHER"), "other.so");
  dir.drop(built("undefined").named("UNDEFINED"), "undefined.so");
  const Registry registry(Configuration{{dir.path()}, BKR_CONFIG_ALLOW_UNLOAD});
  bkr_member *overridden = registry.member("CPU_ATTN");
  std::atomic<bool> stop{false};
  std::atomic<int> unloaded{0};
  std::atomic<int> registered{0};
  const auto step = [&](int thread, int i) {
    switch ((thread + i) % 8) {
      case 0: {
        const Made made = registry.open("GOOD");
        ASSERT_TRUE(ok(made.answer));
        ASSERT_EQ(made.backend.code(), LOADING_CODE);
        break;
      }
      case 1:
        EXPECT_TRUE(ok(registry.open("OTHER").answer));
        break;
      case 2:
        EXPECT_TRUE(has(registry.load("UNDEFINED").text, {"UNDEFINED", "loading_nobody_has_this"}));
        break;
      case 3:
        for (uint32_t n = 0; bkr_member *member = bkr_family_member_at(registry.family(), n); ++n) {
          ASSERT_NE(bkr_member_name(member), nullptr);
        }
        break;
      case 4:
        EXPECT_EQ(bkr_member_override(overridden, path_of(i % 2 ? "GOOD" : "OTHER").c_str(), nullptr), BKR_OK);
        EXPECT_TRUE(ok(registry.open("CPU_ATTN").answer));
        break;
      case 5: {
        if (i % 64 != 5) break;  // names are for ever
        const std::string name = "NEW_" + std::to_string(registered++);
        EXPECT_EQ(bkr_member_register(registry.family(), name.c_str(), path_of("GOOD").c_str(), nullptr, nullptr),
                  BKR_OK);
        EXPECT_TRUE(ok(registry.open(name).answer));
        break;
      }
      case 6: {
        const bkr_status status = bkr_library_unload(registry.get(), file.c_str(), nullptr);
        unloaded += status == BKR_OK;
        // Another thread may have opened it again before the system was asked.
        EXPECT_TRUE(status == BKR_OK || status == BKR_BUSY || status == BKR_WRONG_STATE || status == BKR_STAYS_RESIDENT)
            << bkr_status_name(status);
        break;
      }
      default:
        if (i % 16 == 7) {
          EXPECT_TRUE(ok(registry.rescan()));
        }
        EXPECT_TRUE(ok(registry.resolve("GOOD")));
        EXPECT_EQ(registry.explain("GOOD")["status"], "BKR_OK");
    }
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; !stop; ++i) step(thread, i);
    });
  }
  std::this_thread::sleep_for(std::chrono::seconds(5));
  stop = true;
  for (std::thread &thread : threads) thread.join();
  EXPECT_GT(unloaded, 0);
  EXPECT_GT(registered, 0);
}

}  // namespace
}  // namespace loading
