// SPDX-License-Identifier: Apache-2.0
#include "api/registry_service.h"

#include "api/handles.h"

namespace bkr::core {

namespace {

bkr_status BKR_CALL find(const bkr_host *host, const char *family, const char *name, bkr_member **member,
                         bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    Result<void> given = require(BKR_REGISTRY_SERVICE_1 " find",
                                 {{"host", host}, {"family", family}, {"name", name}, {"member", member}});
    if (!given) return given;
    OpenedRegistry *registry = host->registry.load(std::memory_order_acquire);
    if (!registry) {
      return fail(BKR_WRONG_STATE, cat("find of ", family, ".", name, ": the registry is closed."),
                  "Only its live backends are left; find what a backend needs while it is being created.");
    }
    const Result<Member *> found = registry->find(family, name);
    if (!found) return fail(found.error());
    *member = handle(*found);
    return {};
  });
}

}  // namespace

const bkr_registry_service_1 &registry_service() noexcept {
  static constexpr bkr_registry_service_1 service = {
      sizeof(bkr_registry_service_1), 0, find, bkr_member_load, bkr_factory_create, bkr_backend_destroy};
  return service;
}

}  // namespace bkr::core
