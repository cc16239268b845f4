// SPDX-License-Identifier: Apache-2.0
#ifndef BACKEND_REGISTRY_SERVICES_THREADS_HPP
#define BACKEND_REGISTRY_SERVICES_THREADS_HPP

// The host's threads (threads.h) for plugins in C++.

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <type_traits>

#include "../error.hpp"
#include "../plugin_backend.hpp"
#include "threads.h"

namespace bkr {

// A view of the host's threads, valid as long as the host. With a host that has none, all work is done by the caller.
class threads {
 public:
  threads() = default;
  explicit threads(const host &of) noexcept : service_(of.find_service<bkr_threads_service_1>(BKR_THREADS_SERVICE_1)) {}

  // How many tasks may run at the same time, at least 1. It may change between calls: ask once for each for_each, and
  // give the answer to it.
  int64_t worker_count() const noexcept {
    return service_ == nullptr ? 1 : std::max<int64_t>(1, service_->worker_count(service_->user));
  }

  // Calls fn(int64_t task, int64_t worker) for every task below count, in any order and up to `workers` at the same
  // time; worker < workers. Returns when all have returned. Throws the first exception that left an fn (the tasks that
  // were not begun by then are not run), or bkr::error if the service fails.
  template <class Fn>
  void for_each(int64_t count, int64_t workers, Fn &&fn) const {
    constexpr int64_t kMost = std::numeric_limits<uint32_t>::max();
    for (int64_t first = 0; first < count; first += kMost) {
      Call<std::remove_reference_t<Fn>> call{&fn, first};
      if (service_ == nullptr || workers <= 1 || count == 1) {
        for (int64_t task = first; task < std::min(count, first + kMost); ++task) fn(task, int64_t{0});
        continue;
      }
      char text[256] = "";
      bkr_error error = BKR_ERROR_INIT(text);
      const bkr_status status =
          service_->parallel_for(service_->user, static_cast<uint32_t>(std::min(kMost, count - first)),
                                 static_cast<uint32_t>(std::min(kMost, workers)), &decltype(call)::run, &call, &error);
      if (call.thrown) std::rethrow_exception(call.thrown);
      if (status != BKR_OK) throw bkr::error(status, text);
    }
  }

 private:
  template <class Fn>
  struct Call {
    static void BKR_CALL run(void *self, uint32_t task, uint32_t worker) noexcept {
      Call &call = *static_cast<Call *>(self);
      if (call.stopped.load(std::memory_order_relaxed)) return;
      try {
        (*call.fn)(call.first + int64_t{task}, int64_t{worker});
      } catch (...) {
        if (!call.stopped.exchange(true)) call.thrown = std::current_exception();
      }
    }

    Fn *fn;
    int64_t first;
    std::atomic<bool> stopped{false};
    std::exception_ptr thrown{};
  };

  const bkr_threads_service_1 *service_ = nullptr;
};

}  // namespace bkr

#endif  // BACKEND_REGISTRY_SERVICES_THREADS_HPP
