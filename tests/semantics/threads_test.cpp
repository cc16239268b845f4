// SPDX-License-Identifier: Apache-2.0
// The service bkr.threads/1, as a backend finds it: all work is done, once, by as many threads as were allowed.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <backend_registry/backend_registry.hpp>
#include <backend_registry/services/threads.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace threads_test {

// Hands itself out, and so what its host offers.
struct Worker : bkr::plugin_backend {
  const char *name() const noexcept override { return "WORKER"; }
  const void *get_interface(std::string_view) override { return this; }
  void init(const bkr_device &) override {
    threads = bkr::threads(host());
    table = host().find_service<bkr_threads_service_1>(BKR_THREADS_SERVICE_1);
  }

  bkr::threads threads;
  const bkr_threads_service_1 *table = nullptr;
};

// A registry without directories, and the service that its backends find. `count` 0: what the environment says.
struct Opened {
  explicit Opened(uint32_t count, bkr::config config = {}) : registry(open(std::move(config))) {
    if (count > 0) registry.set_threads(count);
    backend = bkr::register_backend<Worker>(registry.find_family("attention"), "WORKER").load().create();
    backend.init();
    const auto *worker = backend.get_interface<Worker>("worker");
    threads = worker->threads;
    table = worker->table;
  }
  static bkr::registry open(bkr::config config) {
    config.flags |= BKR_CONFIG_NO_DEFAULT_DIRS;
    return bkr::registry::open(config);
  }

  bkr::registry registry;
  bkr::backend backend;
  bkr::threads threads;
  const bkr_threads_service_1 *table = nullptr;
};

// A place where so many tasks meet. False if they did not all come: they do not run at the same time.
class Meeting {
 public:
  explicit Meeting(int expected) : missing_(expected) {}
  bool meet(std::chrono::milliseconds patience = std::chrono::seconds(60)) {
    --missing_;
    const auto begin = std::chrono::steady_clock::now();
    while (missing_ > 0) {
      if (std::chrono::steady_clock::now() - begin > patience) return false;
      std::this_thread::yield();
    }
    return true;
  }

 private:
  std::atomic<int> missing_;
};

bool tasks_run_at_the_same_time(const bkr::threads &threads, int count) {
  Meeting meeting(count);
  std::atomic<int> met{0};
  threads.for_each(count, count, [&](int64_t, int64_t) { met += meeting.meet() ? 1 : 0; });
  return met == count;
}

std::vector<std::string> worker_threads() {
  std::vector<std::string> found;
  for (const auto &task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    if (name == "bkr-worker") found.push_back(task.path().string());
  }
  return found;
}

// Runs in a child, since what it looks at belongs to the process.
int exit_code_of_child(const std::function<bool()> &work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(120);
    ::_exit(work() ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

TEST(Threads, EveryTaskRunsOnceAndWorkersAreNotShared) {
  const Opened opened(4);
  for (const int64_t count : {0, 1, 2, 3, 17, 1000}) {
    for (const int64_t workers : {1, 2, 3, 4, 9}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count));
      std::vector<std::atomic<int>> inside(static_cast<std::size_t>(workers));
      std::atomic<int> wrong{0};
      opened.threads.for_each(count, workers, [&](int64_t task, int64_t worker) {
        if (worker < 0 || worker >= workers || ++inside[static_cast<std::size_t>(worker)] != 1) ++wrong;
        ++runs[static_cast<std::size_t>(task)];
        --inside[static_cast<std::size_t>(worker)];
      });
      EXPECT_EQ(wrong, 0) << count << " tasks, " << workers << " workers";
      for (const std::atomic<int> &run : runs) EXPECT_EQ(run, 1) << count << " tasks, " << workers << " workers";
    }
  }
}

TEST(Threads, AsManyTasksAsAllowedRunAtTheSameTime) {
  for (const uint32_t count : {2u, 3u}) {
    const Opened opened(count);
    EXPECT_EQ(opened.threads.worker_count(), count);
    EXPECT_TRUE(tasks_run_at_the_same_time(opened.threads, static_cast<int>(count))) << count;
  }
}

TEST(Threads, WhatTasksWriteIsSeenAfterwards) {
  const Opened opened(3);
  std::vector<int64_t> squares(500);
  for (int round = 1; round <= 200; ++round) {
    opened.threads.for_each(500, 3,
                            [&](int64_t task, int64_t) { squares[static_cast<std::size_t>(task)] += task * round; });
  }
  for (int64_t task = 0; task < 500; ++task) EXPECT_EQ(squares[static_cast<std::size_t>(task)], task * 20100);
}

TEST(Threads, CallsFromSeveralThreadsAreAllServed) {
  const Opened opened(2);
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int call = 0; call < 200; ++call) {
        opened.threads.for_each(20, 2, [&](int64_t task, int64_t) { sum += task; });
      }
    });
  }
  for (std::thread &caller : callers) caller.join();
  EXPECT_EQ(sum, 4 * 200 * 190);
}

TEST(Threads, ACallFromInsideATaskIsDoneThere) {
  const Opened opened(2);
  std::atomic<int> runs{0};
  opened.threads.for_each(4, 2, [&](int64_t, int64_t) {
    const std::thread::id here = std::this_thread::get_id();
    opened.threads.for_each(5, 2, [&](int64_t, int64_t worker) {
      if (worker == 0 && std::this_thread::get_id() == here) ++runs;
    });
  });
  EXPECT_EQ(runs, 20);
}

TEST(Threads, AnExceptionComesBackToTheCaller) {
  const Opened opened(2);
  for (const int64_t count : {1, 2, 100}) {
    try {
      opened.threads.for_each(count, 2, [](int64_t, int64_t) { throw std::runtime_error("no luck"); });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error &error) {
      EXPECT_STREQ(error.what(), "no luck");
    }
  }
  EXPECT_TRUE(tasks_run_at_the_same_time(opened.threads, 2)) << "the threads are as before";
}

TEST(Threads, AnExceptionThatATaskInCLetsOutIsStopped) {
  const Opened opened(2);
  char text[512] = "";
  bkr_error error = BKR_ERROR_INIT(text);
  const bkr_task_fn throwing = [](void *, uint32_t, uint32_t) { throw 7; };
  for (const uint32_t count : {1u, 50u}) {
    EXPECT_EQ(opened.table->parallel_for(opened.table->user, count, 2, throwing, nullptr, &error),
              BKR_PLUGIN_EXCEPTION);
    EXPECT_NE(std::string(text).find("an exception left a task"), std::string::npos) << text;
  }
  EXPECT_TRUE(tasks_run_at_the_same_time(opened.threads, 2));
}

TEST(Threads, BadArgumentsAreRefused) {
  const Opened opened(2);
  const bkr_task_fn nothing = [](void *, uint32_t, uint32_t) {};
  const auto call = [&](uint32_t workers, bkr_task_fn task) {
    return opened.table->parallel_for(opened.table->user, 1, workers, task, nullptr, nullptr);
  };
  EXPECT_EQ(call(0, nothing), BKR_INVALID_ARGUMENT);
  EXPECT_EQ(call(1, nullptr), BKR_INVALID_ARGUMENT);
  EXPECT_EQ(call(1, nothing), BKR_OK);
  EXPECT_EQ(bkr_registry_set_threads(opened.registry.handle(), 1025, nullptr), BKR_INVALID_ARGUMENT);
  EXPECT_EQ(bkr_registry_set_threads(nullptr, 1, nullptr), BKR_INVALID_ARGUMENT);
  EXPECT_EQ(opened.threads.worker_count(), 2);
}

TEST(Threads, TheHostsOwnServiceComesFirst) {
  static int calls;
  calls = 0;
  const bkr_threads_service_1 own = {
      sizeof(own), 0, &calls, [](void *) -> uint32_t { return 3; },
      [](void *user, uint32_t count, uint32_t, bkr_task_fn task, void *task_user, bkr_error *) -> bkr_status {
        ++*static_cast<int *>(user);
        for (uint32_t i = 0; i < count; ++i) task(task_user, i, 0);
        return BKR_OK;
      }};
  bkr::config config;
  config.services = {{BKR_THREADS_SERVICE_1, &own}};
  const Opened opened(1, config);
  EXPECT_EQ(opened.threads.worker_count(), 3);
  int runs = 0;
  opened.threads.for_each(5, 3, [&](int64_t, int64_t) { ++runs; });
  EXPECT_EQ(runs, 5);
  EXPECT_EQ(calls, 1);
}

// Sets BKR_NUM_THREADS as long as it lives.
struct NumThreads {
  explicit NumThreads(const char *value) { ::setenv("BKR_NUM_THREADS", value, 1); }
  ~NumThreads() { ::unsetenv("BKR_NUM_THREADS"); }
};

TEST(Threads, TheEnvironmentSaysHowMany) {
  const NumThreads set("3");
  const Opened opened(0);
  EXPECT_EQ(opened.threads.worker_count(), 3);
  opened.registry.set_threads(7);
  EXPECT_EQ(opened.threads.worker_count(), 7) << "the host decides";
  opened.registry.set_threads(0);
  EXPECT_EQ(opened.threads.worker_count(), 3) << "and may leave it to the environment again";
  bkr::config alone;
  alone.flags = BKR_CONFIG_NO_ENVIRONMENT;
  ::setenv("BKR_NUM_THREADS", "1000", 1);
  EXPECT_LT(Opened(0, alone).threads.worker_count(), 1000) << "one for each CPU";
}

TEST(Threads, WhatIsNoNumberOfThreadsIsWarnedAbout) {
  for (const char *value : {"0", "-1", "many", "2x", "1025", "99999999999999999999"}) {
    const NumThreads set(value);
    std::string lines;
    bkr::config config;
    config.log_level = BKR_LOG_WARN;
    config.log = [](void *user, int32_t, const char *text, size_t size) {
      static_cast<std::string *>(user)->append(text, size).append("\n");
    };
    config.log_user = &lines;
    const Opened opened(0, config);
    EXPECT_GE(opened.threads.worker_count(), 1);
    EXPECT_NE(lines.find(std::string("BKR_NUM_THREADS is '") + value + "'; it takes a number from 1 to 1024"),
              std::string::npos)
        << lines;
  }
}

// The thread sanitizer does not follow a process with threads into a child that starts new ones; the address sanitizer
// needs more address space than there may be here.
#if defined(__SANITIZE_THREAD__)
#define SKIP_WHERE_CHILDREN_HAVE_NO_THREADS() GTEST_SKIP() << "not under the thread sanitizer"
#else
#define SKIP_WHERE_CHILDREN_HAVE_NO_THREADS() static_cast<void>(0)
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SKIP_UNDER_SANITIZERS() GTEST_SKIP() << "not under this sanitizer"
#else
#define SKIP_UNDER_SANITIZERS() static_cast<void>(0)
#endif

TEST(Threads, NoneIsStartedBeforeTheyAreNeeded) {
  SKIP_WHERE_CHILDREN_HAVE_NO_THREADS();
  EXPECT_EQ(exit_code_of_child([] {
              const Opened opened(2);  // opens, loads, creates, initialises
              opened.threads.for_each(3, 1, [](int64_t, int64_t) {});
              opened.threads.for_each(1, 2, [](int64_t, int64_t) {});
              const std::size_t before = worker_threads().size();
              opened.threads.for_each(2, 2, [](int64_t, int64_t) {});
              return before == 0 && worker_threads().size() == 1;
            }),
            0);
}

TEST(Threads, SignalsOfTheHostAreNotTheirs) {
  SKIP_WHERE_CHILDREN_HAVE_NO_THREADS();
  EXPECT_EQ(exit_code_of_child([] {
              const Opened opened(2);
              if (!tasks_run_at_the_same_time(opened.threads, 2)) return false;
              std::ifstream status(worker_threads().at(0) + "/status");
              for (std::string line; std::getline(status, line);) {
                if (line.rfind("SigBlk:", 0) != 0) continue;
                const auto blocked = std::stoull(line.substr(7), nullptr, 16);
                return (blocked >> (SIGINT - 1) & 1) == 1 && (blocked >> (SIGTERM - 1) & 1) == 1;
              }
              return false;
            }),
            0);
}

TEST(Threads, AForkedChildHasThreadsOfItsOwn) {
  SKIP_UNDER_SANITIZERS();
  const Opened opened(2);
  ASSERT_TRUE(tasks_run_at_the_same_time(opened.threads, 2));
  for (int fork = 0; fork < 20; ++fork) {
    EXPECT_EQ(exit_code_of_child(
                  [&] { return tasks_run_at_the_same_time(opened.threads, 2) && worker_threads().size() == 1; }),
              0);
    ASSERT_TRUE(tasks_run_at_the_same_time(opened.threads, 2)) << "the parent's are as before";
  }
}

TEST(Threads, AForkWhileTheyAreAtWorkLeavesTheChildFree) {
  SKIP_UNDER_SANITIZERS();
  const Opened opened(2);
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) opened.threads.for_each(8, 2, [](int64_t, int64_t) { std::this_thread::yield(); });
  });
  for (int fork = 0; fork < 50; ++fork) {
    EXPECT_EQ(exit_code_of_child([&] { return tasks_run_at_the_same_time(opened.threads, 2); }), 0);
  }
  stop = true;
  busy.join();
}

TEST(Threads, WithoutASystemThatGivesThreadsTheCallerWorksAlone) {
  SKIP_UNDER_SANITIZERS();
  EXPECT_EQ(exit_code_of_child([] {
              const Opened opened(4);
              const rlimit none = {1, 1};  // no address space for a stack
              if (::setrlimit(RLIMIT_AS, &none) != 0) return false;
              int runs = 0;
              opened.threads.for_each(10, 4, [&](int64_t, int64_t) { ++runs; });
              return runs == 10;
            }),
            0);
}

}  // namespace threads_test
