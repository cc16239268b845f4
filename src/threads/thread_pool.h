// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_THREADS_THREAD_POOL_H
#define BKR_THREADS_THREAD_POOL_H

#include <backend_registry/services/threads.h>

#include <atomic>
#include <cstdint>

namespace bkr::core {

// The threads of this process that help plugins with their work. They are started when a call first needs them, sleep
// between calls, and are never ended. Threads cannot be taken along into a forked child; it has a pool of its own.
//
// One call at a time has their help; another one that comes meanwhile is worked on by its caller alone, as is a call
// from inside a task. So no call waits for another one.
class ThreadPool {
 public:
  // Null without memory for one.
  static ThreadPool *of_process() noexcept;

  // Calls task(user, i, worker) for every i below count on at most `workers` threads, the caller's included; fewer if
  // the system has no more to give. False if an exception left a task: those that were not begun then are left out.
  bool run(uint32_t count, uint32_t workers, bkr_task_fn task, void *user) noexcept;

 private:
  struct Work {
    bkr_task_fn task = nullptr;
    void *user = nullptr;
    uint32_t count = 0;
    uint32_t workers = 0;
  };

  ThreadPool(uint32_t fork_generation, ThreadPool *before) noexcept
      : fork_generation_(fork_generation), before_(before) {}

  // So many threads beside the caller, if the system gives them. Only by who is busy_.
  void start(uint32_t helpers) noexcept;
  void serve(uint32_t worker, uint32_t seen) noexcept;
  void take_tasks(const Work &work, uint32_t worker) noexcept;

  const uint32_t fork_generation_;
  ThreadPool *const before_;  // the parent's, of which the child only keeps the memory

  std::atomic<bool> busy_{false};  // somebody's work has the threads
  Work work_;                      // written only while not open_ and no thread is active_
  uint32_t started_ = 0;           // by who is busy_

  // A thread may look at work_ while it counts as active_ and has seen open_ after that; who gave the work closes it
  // and waits until none is active_. A thread that wakes late finds it closed, and nobody waits for it.
  alignas(64) std::atomic<uint32_t> round_{0};  // grows with each work: what sleeping threads watch
  std::atomic<bool> open_{false};
  alignas(64) std::atomic<int> active_{0};
  alignas(64) std::atomic<uint64_t> next_{0};  // the next task; beyond count: none is left
  std::atomic<bool> threw_{false};
};

}  // namespace bkr::core

#endif  // BKR_THREADS_THREAD_POOL_H
