// SPDX-License-Identifier: Apache-2.0
// The C face of backends.
#include "api/handles.h"
#include "base/request.h"
#include "load/backend_core.h"

using namespace bkr::core;

namespace {

// A backend that a registry made; what a plugin made by itself has no core.
Result<void> require_backend(std::string_view function, const bkr_backend *backend) {
  if (Result<void> given = require(function, {{"backend", backend}}); !given) return given;
  if (backend->core) return {};
  return fail(BKR_INVALID_ARGUMENT, cat(function, ": the backend was not made by a registry."),
              "Make it with bkr_backend_open() or bkr_factory_create().");
}

Result<bkr_backend *> open_backend(OpenedRegistry &registry, const char *family, const char *name,
                                   std::span<const bkr_option> options) {
  const Result<Member *> member = registry.find(family, name);
  if (!member) return fail(member.error());
  const Result<const Factory *> factory = registry.load(**member);
  if (!factory) return fail(factory.error());
  return (*factory)->create(options, *member);
}

}  // namespace

bkr_status BKR_CALL bkr_factory_create(bkr_factory *factory, const bkr_option *options, uint32_t count,
                                       bkr_backend **backend, bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    Result<void> given = require("bkr_factory_create", {{"factory", factory}, {"backend", backend}});
    if (!given) return given;
    const Result<std::span<const bkr_option>> all = require_options("bkr_factory_create", "options", options, count);
    if (!all) return fail(all.error());
    Result<bkr_backend *> made = inside(factory)->create(*all);
    if (!made) return fail(std::move(made.error()));
    *backend = *made;
    return {};
  });
}

bkr_status BKR_CALL bkr_backend_open(bkr_registry *registry, const char *family, const char *name,
                                     const bkr_option *options, uint32_t count, bkr_backend **backend,
                                     bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    Result<void> given =
        require("bkr_backend_open", {{"registry", registry}, {"family", family}, {"name", name}, {"backend", backend}});
    if (!given) return given;
    const Result<std::span<const bkr_option>> all = require_options("bkr_backend_open", "options", options, count);
    if (!all) return fail(all.error());
    Result<bkr_backend *> made = open_backend(*inside(registry), family, name, *all);
    if (!made) return fail(std::move(made.error()));
    *backend = *made;
    return {};
  });
}

const char *BKR_CALL bkr_backend_name(const bkr_backend *backend) {
  return backend && backend->core ? backend_name(*backend) : nullptr;
}

bkr_status BKR_CALL bkr_backend_validate(bkr_backend *backend, const bkr_option *facts, uint32_t count,
                                         bkr_reason_fn emit, void *user, bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    if (Result<void> given = require_backend("bkr_backend_validate", backend); !given) return given;
    const Result<std::span<const bkr_option>> all = require_options("bkr_backend_validate", "facts", facts, count);
    return all ? validate_backend(*backend, *all, emit, user) : fail(all.error());
  });
}

bkr_status BKR_CALL bkr_backend_init(bkr_backend *backend, const bkr_device *device, bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    if (Result<void> given = require_backend("bkr_backend_init", backend); !given) return given;
    constexpr bkr_device cpu = {sizeof(bkr_device), 1, 0, 0};
    if (device) {
      if (Result<void> request = check_request(device, "bkr_device"); !request) return request;
    }
    return init_backend(*backend, device ? *device : cpu);
  });
}

bkr_status BKR_CALL bkr_backend_get_interface(bkr_backend *backend, const char *id, const void **table,
                                              bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    Result<void> given = require("bkr_backend_get_interface", {{"id", id}, {"table", table}});
    if (given) given = require_backend("bkr_backend_get_interface", backend);
    if (!given) return given;
    const Result<const void *> found = get_interface(*backend, id);
    if (!found) return fail(found.error());
    *table = *found;
    return {};
  });
}

void BKR_CALL bkr_backend_destroy(bkr_backend *backend) {
  if (backend && backend->core) destroy_backend(backend);
}
