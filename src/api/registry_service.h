// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_API_REGISTRY_SERVICE_H
#define BKR_API_REGISTRY_SERVICE_H

#include <backend_registry/services/registry.h>

namespace bkr::core {

// The C face once more, for the plugins of a registry: the same table for all of them.
const bkr_registry_service_1 &registry_service() noexcept;

}  // namespace bkr::core

#endif  // BKR_API_REGISTRY_SERVICE_H
