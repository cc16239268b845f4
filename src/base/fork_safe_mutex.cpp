// SPDX-License-Identifier: Apache-2.0
#include "base/fork_safe_mutex.h"

#include <atomic>
#include <chrono>
#include <thread>

#if !defined(_WIN32)
#include <pthread.h>
#endif

namespace bkr::core {

namespace {

// This thread forks, and holds all of them: the host's own fork handlers, which run meanwhile, may call the library.
thread_local bool holds_all = false;

std::atomic<uint32_t> forks{0};

std::atomic<int> in_system_loader{0};
thread_local int this_thread_in_system_loader = 0;

// Called with all mutexes held, so that no thread begins another load.
void wait_for_system_loader() {
  using namespace std::chrono;
  constexpr milliseconds longest{100};
  const auto begin = steady_clock::now();
  while (in_system_loader > this_thread_in_system_loader && steady_clock::now() - begin < longest) {
    std::this_thread::sleep_for(microseconds(50));
  }
}

}  // namespace

// All mutexes of this kind, the outer ones first.
struct AllForkSafeMutexes {
  std::mutex mutex;  // the links
  struct Links {
    explicit Links(AllForkSafeMutexes &of) : of_(of) {
      if (!holds_all) of_.mutex.lock();
    }
    ~Links() {
      if (!holds_all) of_.mutex.unlock();
    }
    AllForkSafeMutexes &of_;
  };
  ForkSafeMutex *first = nullptr;
  ForkSafeMutex *last = nullptr;
  std::atomic<bool> watches_forks{false};

  void add(ForkSafeMutex &added, ForkSafeMutex::Order order) {
#if !defined(_WIN32)
    // Not under the lock: the system's own lock for these functions may be held by a thread that is forking.
    if (!watches_forks.exchange(true)) pthread_atfork(before_fork, after_fork, after_fork_in_child);
#endif
    const Links links(*this);
    if (holds_all) added.mutex_.lock();  // as all others, until the fork is done
    const bool outer = order == ForkSafeMutex::Order::outer;
    added.before_ = outer ? nullptr : last;
    added.next_ = outer ? first : nullptr;
    (added.before_ ? added.before_->next_ : first) = &added;
    (added.next_ ? added.next_->before_ : last) = &added;
  }

  void remove(ForkSafeMutex &removed) {
    const Links links(*this);
    if (holds_all) removed.mutex_.unlock();
    (removed.before_ ? removed.before_->next_ : first) = removed.next_;
    (removed.next_ ? removed.next_->before_ : last) = removed.before_;
  }

  static void before_fork();
  static void after_fork();
  static void after_fork_in_child();
};

namespace {

constinit AllForkSafeMutexes all;  // no constructor runs for it, and no destructor

}  // namespace

void AllForkSafeMutexes::before_fork() {
  all.mutex.lock();
  for (ForkSafeMutex *at = all.first; at; at = at->next_) at->mutex_.lock();
  holds_all = true;
  wait_for_system_loader();
}

void AllForkSafeMutexes::after_fork_in_child() {
  ++forks;
  in_system_loader = this_thread_in_system_loader;  // the others stayed behind
  after_fork();
}

void AllForkSafeMutexes::after_fork() {
  holds_all = false;
  for (ForkSafeMutex *at = all.last; at; at = at->before_) at->mutex_.unlock();
  all.mutex.unlock();
}

uint32_t fork_generation() noexcept { return forks.load(); }

ForkSafeMutex::ForkSafeMutex(Order order) { all.add(*this, order); }
ForkSafeMutex::~ForkSafeMutex() { all.remove(*this); }

InsideSystemLoader::InsideSystemLoader() noexcept {
  ++in_system_loader;
  ++this_thread_in_system_loader;
}

InsideSystemLoader::~InsideSystemLoader() {
  --in_system_loader;
  --this_thread_in_system_loader;
}

void ForkSafeMutex::lock() {
  if (!holds_all) mutex_.lock();
}

void ForkSafeMutex::unlock() {
  if (!holds_all) mutex_.unlock();
}

}  // namespace bkr::core
