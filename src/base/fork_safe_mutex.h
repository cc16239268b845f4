// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_BASE_FORK_SAFE_MUTEX_H
#define BKR_BASE_FORK_SAFE_MUTEX_H

#include <cstdint>
#include <mutex>

namespace bkr::core {

// A mutex that is free in a forked child: fork() waits until no thread holds it, so that the child has neither a lock
// whose holder stayed behind nor data that were half changed. Never held across foreign code, which could fork.
class ForkSafeMutex {
 public:
  // An outer one may be held while an inner one is taken; two of a kind are never held together.
  enum class Order { outer, inner };

  explicit ForkSafeMutex(Order order = Order::inner);
  ForkSafeMutex(const ForkSafeMutex &) = delete;
  ForkSafeMutex &operator=(const ForkSafeMutex &) = delete;
  ~ForkSafeMutex();

  void lock();
  void unlock();

 private:
  friend struct AllForkSafeMutexes;
  std::mutex mutex_;
  ForkSafeMutex *before_ = nullptr;  // in the list of all of this process
  ForkSafeMutex *next_ = nullptr;
};

// How often this process and those before it have forked to become it: another number in a forked child. (Counted from
// the first ForkSafeMutex on.)
uint32_t fork_generation() noexcept;

// While it lives, this thread is inside the system's loader, which holds locks that a child would never see released:
// a fork on another thread waits for its end. Not for ever: a library's constructor, which runs in there without those
// locks, may take its time.
class InsideSystemLoader {
 public:
  InsideSystemLoader() noexcept;
  InsideSystemLoader(const InsideSystemLoader &) = delete;
  ~InsideSystemLoader();
};

}  // namespace bkr::core

#endif  // BKR_BASE_FORK_SAFE_MUTEX_H
