// SPDX-License-Identifier: Apache-2.0
#include "threads/thread_pool.h"

#include <algorithm>
#include <limits>
#include <new>
#include <thread>

#if !defined(_WIN32)
#include <pthread.h>
#include <signal.h>
#endif

#include "base/fork_safe_mutex.h"

namespace bkr::core {

namespace {

constinit std::atomic<ThreadPool *> pool_of_process{nullptr};

// This thread runs a task; what it asks for from there it does alone.
thread_local bool inside_task = false;

class InsideTask {
 public:
  InsideTask() noexcept { inside_task = true; }
  InsideTask(const InsideTask &) = delete;
  ~InsideTask() { inside_task = before_; }

 private:
  const bool before_ = inside_task;
};

// A new thread inherits what the thread that starts it blocks. The host's signals are not for ours.
class WithoutSignals {
#if !defined(_WIN32)
 public:
  WithoutSignals() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  WithoutSignals(const WithoutSignals &) = delete;
  ~WithoutSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
#endif
};

void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Kernels follow each other closely: a short look before going to sleep saves most of the wake-ups, which cost more
// than a small kernel (some 50 us on a virtual machine).
template <class T>
void wait_while(const std::atomic<T> &value, T is) noexcept {
  constexpr int kLooks = 2000;
  for (int look = 0; look < kLooks; ++look) {
    if (value.load() != is) return;
    relax();
  }
  while (value.load() == is) value.wait(is);
}

}  // namespace

ThreadPool *ThreadPool::of_process() noexcept {
  ThreadPool *pool = pool_of_process.load();
  while (!pool || pool->fork_generation_ != fork_generation()) {
    auto *mine = new (std::nothrow) ThreadPool(fork_generation(), pool);
    if (!mine) return nullptr;
    if (pool_of_process.compare_exchange_strong(pool, mine)) return mine;
    delete mine;
  }
  return pool;
}

void ThreadPool::start(uint32_t helpers) noexcept {
  if (started_ >= helpers) return;
  const WithoutSignals blocked;
  while (started_ < helpers) {
    const uint32_t worker = started_ + 1;
    try {
      std::thread thread([this, worker, seen = round_.load()] { serve(worker, seen); });
#if defined(__linux__)
      pthread_setname_np(thread.native_handle(), "bkr-worker");
#endif
      thread.detach();
    } catch (...) {
      return;  // no thread to be had: the others do its work
    }
    ++started_;
  }
}

bool ThreadPool::run(uint32_t count, uint32_t workers, bkr_task_fn task, void *user) noexcept {
  workers = std::min(workers, count);
  const bool alone = workers <= 1 || inside_task || busy_.exchange(true);
  if (alone) {
    const InsideTask inside;
    try {
      for (uint32_t i = 0; i < count; ++i) task(user, i, 0);
    } catch (...) {
      return false;
    }
    return true;
  }
  start(workers - 1);
  work_ = {task, user, count, workers};
  threw_ = false;
  next_ = 0;
  open_ = true;
  ++round_;
  round_.notify_all();
  take_tasks(work_, 0);
  open_ = false;
  for (int active = active_; active != 0; active = active_) wait_while(active_, active);
  const bool threw = threw_;
  busy_ = false;
  return !threw;
}

void ThreadPool::serve(uint32_t worker, uint32_t seen) noexcept {
  for (;;) {
    wait_while(round_, seen);
    seen = round_;
    ++active_;
    if (open_ && worker < work_.workers) take_tasks(work_, worker);
    if (--active_ == 0) active_.notify_all();
  }
}

void ThreadPool::take_tasks(const Work &work, uint32_t worker) noexcept {
  const InsideTask inside;
  try {
    for (uint64_t i = next_++; i < work.count; i = next_++) work.task(work.user, static_cast<uint32_t>(i), worker);
  } catch (...) {
    threw_ = true;
    next_ = std::numeric_limits<uint32_t>::max();
  }
}

}  // namespace bkr::core
