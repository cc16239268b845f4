// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_LOAD_HOST_CONTEXT_H
#define BKR_LOAD_HOST_CONTEXT_H

#include <backend_registry/plugin.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/failure.h"
#include "base/log.h"
#include "threads/threads_service.h"

namespace bkr::core {
class OpenedRegistry;
}

// The host as its plugins see it. Shared by a registry and by the backends that outlive it.
struct bkr_host {
  using Services = std::vector<std::pair<std::string, const void *>>;
  // Offers the core's threads after the services given, so that a host's own come first.
  bkr_host(std::shared_ptr<bkr::core::Log> writes_to, Services offers)
      : log(std::move(writes_to)), services(with_threads(std::move(offers))) {}

  const std::shared_ptr<bkr::core::Log> log;
  bkr::core::ThreadsService threads;
  const Services services;                                     // the first of an id counts
  std::atomic<bkr::core::OpenedRegistry *> registry{nullptr};  // null once it is closed

 private:
  Services with_threads(Services offers) const {
    offers.emplace_back(BKR_THREADS_SERVICE_1, &threads.table());
    return offers;
  }
};

namespace bkr::core {

using HostContext = ::bkr_host;

// Logs a failure, once, at a level that is shown by default: a host that drops the error must not hide it from the
// operator.
void tell_once(const HostContext &host, const Failure &failure) noexcept;

// The functions that go with it; the same table for every host.
const bkr_host_api &host_api() noexcept;

}  // namespace bkr::core

#endif  // BKR_LOAD_HOST_CONTEXT_H
