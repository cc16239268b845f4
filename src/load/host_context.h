// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_LOAD_HOST_CONTEXT_H
#define BKR_LOAD_HOST_CONTEXT_H

#include <backend_registry/plugin.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"

// The host as its plugins see it. Shared by a registry and by the backends that outlive it.
struct bkr_host {
  std::shared_ptr<bkr::core::Log> log;
  std::vector<std::pair<std::string, const void *>> services;
};

namespace bkr::core {

using HostContext = ::bkr_host;

// The functions that go with it; the same table for every host.
const bkr_host_api &host_api() noexcept;

}  // namespace bkr::core

#endif  // BKR_LOAD_HOST_CONTEXT_H
