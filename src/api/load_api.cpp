// SPDX-License-Identifier: Apache-2.0
// The C face of providing, resolving and loading.
#include "api/handles.h"
#include "describe/describe.h"

using namespace bkr::core;

namespace {

// The strings of a target for a caller: the registry's, until it closes.
Result<void> give_target(OpenedRegistry &registry, const Question &question, bkr_target *target) {
  const Resolution resolution = registry.resolve(question);
  if (resolution.failure) return fail(*resolution.failure);
  const auto keep = [&registry](std::string_view text) {
    return text.empty() ? nullptr : registry.families().keep(text);
  };
  const Target &found = *resolution.target;
  *target = {target->struct_size,      static_cast<int32_t>(found.provider),
             keep(found.family),       keep(found.path),
             keep(found.file),         keep(found.symbol),
             keep(found.backend_name), keep(found.plugin_id),
             keep(found.interface_id)};
  return {};
}

// A target is written to, not read: only its size is asked of it.
Result<void> require_target(std::string_view function, const bkr_target *target) {
  if (target->struct_size >= sizeof(bkr_target)) return {};
  return fail(BKR_INVALID_ARGUMENT,
              cat(function, ": target->struct_size is ", target->struct_size, "; at least ", sizeof(bkr_target),
                  " bytes are needed."),
              "Set it to sizeof(bkr_target).");
}

}  // namespace

bkr_status BKR_CALL bkr_provide(bkr_family *family, const char *path, bkr_create_backend_fn create, void *user,
                                bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    if (Result<void> given = require("bkr_provide", {{"family", family}, {"path", path}}); !given) return given;
    return OpenedRegistry::of(*inside(family)).provide(*inside(family), path, {create, user});
  });
}

bkr_status BKR_CALL bkr_member_resolve(const bkr_member *member, bkr_target *target, bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    Result<void> given = require("bkr_member_resolve", {{"member", member}, {"target", target}});
    if (given) given = require_target("bkr_member_resolve", target);
    if (!given) return given;
    OpenedRegistry &registry = OpenedRegistry::of(*inside(member));
    const Result<Question> question = registry.question(*inside(member));
    return question ? give_target(registry, *question, target) : fail(question.error());
  });
}

bkr_status BKR_CALL bkr_member_explain(const bkr_member *member, char *buffer, size_t cap, size_t *need,
                                       bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    if (Result<void> given = require("bkr_member_explain", {{"member", member}}); !given) return given;
    const Member &asked = *inside(member);
    return hand_over("bkr_member_explain", describe_member(OpenedRegistry::of(asked), asked), buffer, cap, need);
  });
}

namespace {

// What is not loaded yet, or may be so no longer. A function of its own, so that the short way needs no frame.
[[gnu::noinline]] bkr_status load_member(const bkr_member *member, bkr_factory **factory, bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    Result<void> given = require("bkr_member_load", {{"member", member}, {"factory", factory}});
    if (!given) return given;
    const Result<const Factory *> loaded = OpenedRegistry::of(*inside(member)).load(*inside(member));
    if (!loaded) return fail(loaded.error());
    *factory = handle(*loaded);  // NOLINT(clang-analyzer-core.NullDereference): require() has looked
    return {};
  });
}

}  // namespace

bkr_status BKR_CALL bkr_member_load(const bkr_member *member, bkr_factory **factory, bkr_error *error) {
  if (member && factory && is_valid(error)) {
    const Member &asked = *inside(member);
    if (const Factory *known = FactoryTable::remembered(asked, asked.family().set().epoch())) {
      *factory = handle(known);
      return BKR_OK;
    }
  }
  return load_member(member, factory, error);
}

bkr_status BKR_CALL bkr_path_resolve(bkr_family *family, const char *path, bkr_target *target, bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    Result<void> given = require("bkr_path_resolve", {{"family", family}, {"path", path}, {"target", target}});
    if (given) given = require_target("bkr_path_resolve", target);
    if (!given) return given;
    OpenedRegistry &registry = OpenedRegistry::of(*inside(family));
    const Result<const QualifiedPath *> made = registry.make_path(path);
    return made ? give_target(registry, OpenedRegistry::question(*inside(family), **made), target) : fail(made.error());
  });
}

bkr_status BKR_CALL bkr_path_load(bkr_family *family, const char *path, bkr_factory **factory, bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    Result<void> given = require("bkr_path_load", {{"family", family}, {"path", path}, {"factory", factory}});
    if (!given) return given;
    OpenedRegistry &registry = OpenedRegistry::of(*inside(family));
    const Result<const QualifiedPath *> made = registry.make_path(path);
    if (!made) return fail(made.error());
    const Result<const Factory *> loaded = registry.load(OpenedRegistry::question(*inside(family), **made));
    if (!loaded) return fail(loaded.error());
    *factory = handle(*loaded);
    return {};
  });
}

bkr_status BKR_CALL bkr_library_unload(bkr_registry *registry, const char *file, bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    Result<void> given = require("bkr_library_unload", {{"registry", registry}, {"file", file}});
    if (!given) return given;
    return inside(registry)->unload(file);
  });
}

bkr_status BKR_CALL bkr_inspect(const char *file, char *buffer, size_t cap, size_t *need, bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    if (Result<void> given = require("bkr_inspect", {{"file", file}}); !given) return given;
    const Result<std::string> document = describe_inspection(file);
    return document ? hand_over("bkr_inspect", *document, buffer, cap, need) : fail(document.error());
  });
}
