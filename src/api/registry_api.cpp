// SPDX-License-Identifier: Apache-2.0
// The C face of opening, reporting and families.
#include "api/handles.h"
#include "api/registry_service.h"
#include "base/process_wide.h"
#include "describe/describe.h"
#include "registry/name_failures.h"

using namespace bkr::core;

namespace {

// The process's own registry.
constinit ProcessWide<OpenedRegistry> default_registry;

Result<std::unique_ptr<OpenedRegistry>> open_registry(const bkr_config *config) {
  return OpenedRegistry::open(config, {{BKR_REGISTRY_SERVICE_1, &registry_service()}});
}

}  // namespace

uint32_t BKR_CALL bkr_abi_version(void) { return BKR_ABI_VERSION; }

const char *BKR_CALL bkr_version(void) { return BKR_VERSION; }

const char *BKR_CALL bkr_status_name(bkr_status status) { return status_name(status); }

bkr_status BKR_CALL bkr_registry_open(const bkr_config *config, bkr_registry **registry, bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    if (Result<void> given = require("bkr_registry_open", {{"registry", registry}}); !given) return given;
    Result<std::unique_ptr<OpenedRegistry>> opened = open_registry(config);
    if (!opened) return fail(std::move(opened.error()));
    *registry = handle(opened->release());
    return {};
  });
}

void BKR_CALL bkr_registry_close(bkr_registry *registry) {
  OpenedRegistry *opened = inside(registry);
  if (!opened) return;
  if (opened == default_registry.get_if_made()) {
    try {
      opened->log().write_once(BKR_LOG_WARN,
                               "bkr_registry_close: the default registry is the process's own and stays open.");
    } catch (...) {
      // No memory for the text; the registry stays open all the same.
    }
    return;
  }
  delete opened;
}

bkr_status BKR_CALL bkr_registry_default(bkr_registry **registry, bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    if (Result<void> given = require("bkr_registry_default", {{"registry", registry}}); !given) return given;
    OpenedRegistry *opened = default_registry.get_if_made();
    if (!opened) {
      Result<std::unique_ptr<OpenedRegistry>> made = open_registry(nullptr);
      if (!made) return fail(std::move(made.error()));
      opened = &default_registry.keep_first(*made);
    }
    *registry = handle(opened);
    return {};
  });
}

bkr_status BKR_CALL bkr_registry_rescan(bkr_registry *registry, bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    if (Result<void> given = require("bkr_registry_rescan", {{"registry", registry}}); !given) return given;
    inside(registry)->rescan();
    return {};
  });
}

bkr_status BKR_CALL bkr_registry_set_threads(bkr_registry *registry, uint32_t count, bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    if (Result<void> given = require("bkr_registry_set_threads", {{"registry", registry}}); !given) return given;
    if (count > kMostThreads) {
      return fail(BKR_INVALID_ARGUMENT,
                  cat("bkr_registry_set_threads: count is ", count, "; at most ", kMostThreads, " are possible."),
                  "Give the number of threads that kernels may use, or 0 for one on each CPU.");
    }
    inside(registry)->set_threads(count);
    return {};
  });
}

uint64_t BKR_CALL bkr_registry_epoch(const bkr_registry *registry) {
  return registry ? inside(registry)->families().epoch() : 0;
}

bkr_status BKR_CALL bkr_registry_report(bkr_registry *registry, char *buffer, size_t cap, size_t *need,
                                        bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    if (Result<void> given = require("bkr_registry_report", {{"registry", registry}}); !given) return given;
    return hand_over("bkr_registry_report", describe_report(*inside(registry)), buffer, cap, need);
  });
}

bkr_status BKR_CALL bkr_registry_export(bkr_registry *, char *, size_t, size_t *, bkr_error *error) {
  return not_in_this_version("bkr_registry_export", error);
}

bkr_status BKR_CALL bkr_registry_import(bkr_registry *, const char *, bkr_error *error) {
  return not_in_this_version("bkr_registry_import", error);
}

uint64_t BKR_CALL bkr_registry_fingerprint(bkr_registry *) { return 0; }

bkr_status BKR_CALL bkr_family_find(bkr_registry *registry, const char *name, bkr_family **family, bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    Result<void> given = require("bkr_family_find", {{"registry", registry}, {"name", name}, {"family", family}});
    if (!given) return given;
    Family *found = inside(registry)->families().find(name);
    if (!found) return fail(unknown_family(inside(registry)->families(), name));
    *family = handle(found);
    return {};
  });
}

bkr_status BKR_CALL bkr_family_add(bkr_registry *registry, const char *name, const char *title, bkr_family **family,
                                   bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    Result<void> given = require("bkr_family_add", {{"registry", registry}, {"name", name}, {"title", title}});
    if (!given) return given;
    if (!*title) {
      return fail(BKR_INVALID_ARGUMENT, "bkr_family_add: title is empty.",
                  "Give what texts shall call one of its backends, such as 'sampler backend'.");
    }
    const Result<Family *> added = inside(registry)->add_family(name, title);
    if (!added) return fail(added.error());
    if (family) *family = handle(*added);
    return {};
  });
}

bkr_family *BKR_CALL bkr_family_at(bkr_registry *registry, uint32_t index) {
  if (!registry) return nullptr;
  Family *family = inside(registry)->families().first();
  for (; family && index > 0; --index) family = family->next();
  return handle(family);
}

const char *BKR_CALL bkr_family_name(const bkr_family *family) { return family ? inside(family)->name() : nullptr; }

bkr_member *BKR_CALL bkr_family_member_at(bkr_family *family, uint32_t index) {
  return family ? handle(inside(family)->at(index)) : nullptr;
}
