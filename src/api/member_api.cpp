// SPDX-License-Identifier: Apache-2.0
// The C face of members and their paths. The two that engines call per request have a short way; what leads to an
// error is a function of its own, so that the short way needs no frame on the stack.
#include "api/handles.h"
#include "registry/name_failures.h"

using namespace bkr::core;

namespace {

[[gnu::noinline]] bkr_status find_failure(bkr_family *family, const char *name, bkr_member **member, bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    Result<void> given = require("bkr_member_find", {{"family", family}, {"name", name}, {"member", member}});
    if (!given) return given;
    // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): require() has looked
    return fail(OpenedRegistry::of(*inside(family)).unknown_name(*inside(family), name));
  });
}

[[gnu::noinline]] bkr_status path_failure(const bkr_member *member, const char **path, bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    Result<void> given = require("bkr_member_path", {{"member", member}, {"path", path}});
    if (!given) return given;
    return fail(not_registered(*inside(member)));
  });
}

}  // namespace

bkr_status BKR_CALL bkr_member_find(bkr_family *family, const char *name, bkr_member **member, bkr_error *error) {
  if (family && name && member && is_valid(error)) {
    if (Member *found = inside(family)->find(name)) {
      *member = handle(found);
      return BKR_OK;
    }
  }
  return find_failure(family, name, member, error);
}

bkr_status BKR_CALL bkr_member_find_by_path(bkr_family *family, const char *default_path, bkr_member **member,
                                            bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    Result<void> given =
        require("bkr_member_find_by_path", {{"family", family}, {"default_path", default_path}, {"member", member}});
    if (!given) return given;
    Member *found = inside(family)->find_by_path(default_path);
    if (!found) return fail(unknown_default_path(*inside(family), default_path));
    *member = handle(found);
    return {};
  });
}

namespace {

bkr_status add_member(std::string_view function, bkr_family *family, const char *name, const char *path,
                      bkr_member **member, bkr_error *error, bool also_override) {
  return answer(error, [&]() -> Result<void> {
    if (Result<void> given = require(function, {{"family", family}, {"name", name}}); !given) return given;
    OpenedRegistry &registry = OpenedRegistry::of(*inside(family));
    const Result<Member *> added = registry.register_member(*inside(family), name, path ? path : "", also_override);
    if (!added) return fail(added.error());
    if (member) *member = handle(*added);
    return {};
  });
}

}  // namespace

bkr_status BKR_CALL bkr_member_register(bkr_family *family, const char *name, const char *path, bkr_member **member,
                                        bkr_error *error) {
  return add_member("bkr_member_register", family, name, path, member, error, false);
}

bkr_status BKR_CALL bkr_register_backend(bkr_family *family, const char *name, const char *path, bkr_member **member,
                                         bkr_error *error) {
  return add_member("bkr_register_backend", family, name, path, member, error, true);
}

const char *BKR_CALL bkr_member_name(const bkr_member *member) { return member ? inside(member)->name() : nullptr; }

bkr_family *BKR_CALL bkr_member_family(const bkr_member *member) {
  return member ? handle(&inside(member)->family()) : nullptr;
}

const char *BKR_CALL bkr_member_default_path(const bkr_member *member) {
  const QualifiedPath *path = member ? inside(member)->default_path().path() : nullptr;
  return path ? path->c_str() : nullptr;
}

bkr_status BKR_CALL bkr_member_path(const bkr_member *member, const char **path, bkr_error *error) {
  if (member && path && is_valid(error)) {
    if (const QualifiedPath *effective = inside(member)->effective().path()) {
      *path = effective->c_str();
      return BKR_OK;
    }
  }
  return path_failure(member, path, error);
}

bkr_status BKR_CALL bkr_member_module(const bkr_member *member, const char **module, bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    Result<void> given = require("bkr_member_module", {{"member", member}, {"module", module}});
    if (!given) return given;
    const Result<const QualifiedPath *> path = path_of(*inside(member));
    if (!path) return fail(path.error());
    *module = inside(member)->family().set().module_of(**path);
    return {};
  });
}

int32_t BKR_CALL bkr_member_is_overridden(const bkr_member *member) {
  return bkr_member_override_source(member) != BKR_OVERRIDE_NONE;
}

int32_t BKR_CALL bkr_member_override_source(const bkr_member *member) {
  static_assert(static_cast<int32_t>(PathSource::default_path) == BKR_OVERRIDE_NONE &&
                static_cast<int32_t>(PathSource::api) == BKR_OVERRIDE_API &&
                static_cast<int32_t>(PathSource::environment) == BKR_OVERRIDE_ENVIRONMENT);
  return member ? static_cast<int32_t>(inside(member)->effective().tag()) : BKR_OVERRIDE_NONE;
}

bkr_status BKR_CALL bkr_member_override(bkr_member *member, const char *path, bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    if (!member || !path) return require("bkr_member_override", {{"member", member}, {"path", path}});
    return inside(member)->family().set().override_path(*inside(member), path);
  });
}

void BKR_CALL bkr_member_clear_override(bkr_member *member) {
  answer(nullptr, [&]() -> Result<void> {
    if (member) inside(member)->family().set().clear_override(*inside(member));
    return {};
  });
}
