// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_THREADS_THREADS_SERVICE_H
#define BKR_THREADS_THREADS_SERVICE_H

#include <backend_registry/services/threads.h>

#include <atomic>

namespace bkr::core {

inline constexpr uint32_t kMostThreads = 1024;

// The service bkr.threads/1 of one registry: the process's pool, with the number of threads that this registry may use.
class ThreadsService {
 public:
  ThreadsService() noexcept;
  ThreadsService(const ThreadsService &) = delete;
  ThreadsService &operator=(const ThreadsService &) = delete;

  // 1 up to kMostThreads, the caller's thread included.
  void set_worker_count(uint32_t count) noexcept { worker_count_.store(count, std::memory_order_relaxed); }
  uint32_t worker_count() const noexcept { return worker_count_.load(std::memory_order_relaxed); }

  const bkr_threads_service_1 &table() const noexcept { return table_; }

 private:
  const bkr_threads_service_1 table_;
  std::atomic<uint32_t> worker_count_{1};
};

}  // namespace bkr::core

#endif  // BKR_THREADS_THREADS_SERVICE_H
