// SPDX-License-Identifier: Apache-2.0
// A process that forks: the child has one thread, whatever the others were doing.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>

#include "child.h"
#include "loading_fixture.h"

namespace loading {
namespace {

// The address sanitizer's allocator leaves its own locks held in a child that is forked while another thread allocates.
#if defined(__SANITIZE_ADDRESS__)
#define SKIP_IF_MALLOC_IS_NOT_FORK_SAFE() GTEST_SKIP() << "the sanitizer's malloc() hangs in such a child"
#else
#define SKIP_IF_MALLOC_IS_NOT_FORK_SAFE() static_cast<void>(0)
#endif

TEST(Loading, T10_ForkedChildUsesWhatWasLoaded) {
  const TempDir dir;
  dir.drop(built("good"), "good.so");
  dir.drop(built("good").named("COLD"), "cold.so");
  const Registry registry(dir);
  const Made made = registry.open("GOOD");
  ASSERT_TRUE(ok(made.answer));
  EXPECT_TRUE(in_child([&] {
                EXPECT_EQ(made.backend.name(), "GOOD");
                EXPECT_TRUE(ok(registry.open("GOOD").answer));
                EXPECT_TRUE(ok(registry.open("COLD").answer));
                EXPECT_TRUE(ok(registry.rescan()));
              }).ended_well());
}

TEST(Loading, T10_ForkWhileAnotherThreadIsInsideALoad) {
  const TempDir dir;
  const std::string file = dir.drop(built("good"), "good.so");
  dir.drop(built("good").named("OTHER"), "other.so");
  const std::string cold = dir.drop(built("good").named("COLD"), "cold.so");
  const Registry registry(dir);
  ASSERT_TRUE(ok(registry.load("GOOD")));
  std::promise<void> inside, go_on;
  when_code_runs_next([&] {
    inside.set_value();
    go_on.get_future().wait();
  });
  std::thread loader([&] { EXPECT_TRUE(ok(registry.open("COLD").answer)); });
  inside.get_future().wait();

  const Child child = in_child([&] {
    EXPECT_TRUE(failed(registry.load("COLD"), BKR_BUSY, BKR_STAGE_LOAD, {"attention.COLD", cold, "forked"}));
    EXPECT_TRUE(ok(registry.open("GOOD").answer));
    EXPECT_TRUE(ok(registry.open("OTHER").answer));  // cold, too
    EXPECT_TRUE(ok(registry.rescan()));
    EXPECT_EQ(bkr_member_override(registry.member("CPU_ATTN"), file.c_str(), nullptr), BKR_OK);
    EXPECT_EQ(registry.open("CPU_ATTN").backend.name(), "GOOD");
    EXPECT_EQ(registry.report()["files"].size(), 3u);
  });
  go_on.set_value();
  loader.join();
  EXPECT_TRUE(child.ended_well());
  EXPECT_TRUE(ok(registry.open("COLD").answer));  // the parent never noticed
}

// Threads that hold each of the library's locks as often as they can.
class BusyThreads {
 public:
  explicit BusyThreads(const Registry &registry) {
    const auto work = [this](auto step) {
      threads_.emplace_back([this, step] {
        for (int i = 0; !stop_; ++i) step(i);
      });
    };
    work([&registry](int i) {
      bkr_member_override(registry.member("CPU_ATTN"), ("a.B" + std::to_string(i % 7)).c_str(), nullptr);
      bkr_provide(registry.family(), "a.B0", nullptr, nullptr, nullptr);
      const char *module = nullptr;
      bkr_member_module(registry.member("CPU_ATTN"), &module, nullptr);
    });
    work([&registry](int) { bkr_registry_rescan(registry.get(), nullptr); });
    work([&registry](int) { registry.open("GOOD"); });
    work([&registry](int i) { registry.load_path("nobody.has.This" + std::to_string(i)); });  // each one is logged
  }
  ~BusyThreads() {
    stop_ = true;
    for (std::thread &thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

TEST(Loading, T10_ForkWhileOtherThreadsHoldEachLock) {
  SKIP_IF_MALLOC_IS_NOT_FORK_SAFE();
  const TempDir dir;
  dir.drop(built("good"), "good.so");
  const Child parent = in_child([&] {  // its log goes to stderr, as that of most hosts
    const Registry registry(Configuration{{dir.path()}, 0, BKR_LOG_TRACE, {}, false});
    ASSERT_TRUE(ok(registry.load("GOOD")));
    const BusyThreads busy(registry);
    for (int i = 0; i < 100; ++i) {
      const pid_t child = ::fork();
      if (child == 0) {
        ::alarm(60);
        const bool well = ok(registry.open("GOOD").answer) && ok(registry.rescan()) &&
                          registry.load_path("nobody.has.Me").status == BKR_NOT_FOUND &&
                          bkr_member_override(registry.member("CPU_ATTN"), "x.Y", nullptr) == BKR_OK &&
                          bkr_member_register(registry.family(), "NEW", "x.Z", nullptr, nullptr) == BKR_OK;
        ::_exit(well ? 0 : 1);
      }
      EXPECT_TRUE(ended_well(child)) << "fork " << i;
    }
  });
  EXPECT_EQ(parent.exit_code, 0) << "signal " << parent.signal << "\n" << parent.out;  // not what it logged
}

// (With plugins whose constructors do not call this program, which would hold a lock of its own.)
TEST(Loading, T10_ForkWhileAnotherThreadIsInTheSystemsLoader) {
  SKIP_IF_MALLOC_IS_NOT_FORK_SAFE();
  const TempDir dir;
  const std::string file = dir.drop(built("twin_a"), "a.so");
  dir.drop(built("twin_b"), "b.so");
  const Child parent = in_child([&] {
    const Registry registry(Configuration{{dir.path()}, BKR_CONFIG_ALLOW_UNLOAD});
    std::atomic<bool> stop{false};
    std::thread loader([&] {
      while (!stop) {
        registry.open("TWIN_A");
        bkr_library_unload(registry.get(), file.c_str(), nullptr);
      }
    });
    for (int i = 0; i < 300; ++i) {
      const pid_t child = ::fork();
      if (child == 0) {
        ::alarm(60);
        // It loads, or says why it cannot.
        const bkr_status status = registry.open("TWIN_B").answer.status;
        ::_exit(status == BKR_OK || status == BKR_BUSY ? 0 : 1);
      }
      EXPECT_TRUE(ended_well(child)) << "fork " << i;
    }
    stop = true;
    loader.join();
  });
  EXPECT_TRUE(parent.ended_well());
}

TEST(Loading, T10_ForkDoesNotWaitForALineThatNobodyReads) {
  const TempDir dir;
  EXPECT_TRUE(in_child([&] {
                int ends[2];
                ASSERT_EQ(::pipe2(ends, O_NONBLOCK), 0);
                while (::write(ends[1], "x", 1) == 1) {
                }
                ::fcntl(ends[1], F_SETFL, 0);
                ::dup2(ends[1], STDERR_FILENO);
                const Registry registry(Configuration{{dir.path()}, 0, BKR_LOG_WARN, {}, false});
                std::thread([&] { registry.load_path("nobody.Has"); }).detach();  // writes for ever
                ::usleep(200000);
                const pid_t child = ::fork();
                if (child == 0) ::_exit(ok(registry.rescan()) ? 0 : 1);
                ::_exit(ended_well(child) ? 0 : 1);
              }).ended_well());
}

TEST(Loading, T10_HostsOwnForkHandlersMayCallTheRegistry) {
  const TempDir dir;
  dir.drop(built("good"), "good.so");
  const Child child = run_child({"atfork", dir.path(), "GOOD"});
  EXPECT_TRUE(child.ended_well());
  EXPECT_EQ(child.out, "before: GOOD, in the parent: GOOD, in the child: GOOD\n");
}

}  // namespace
}  // namespace loading
