// SPDX-License-Identifier: Apache-2.0
#include "registry/name_failures.h"

#include <algorithm>

#include "base/text.h"

namespace bkr::core {

namespace {

// "Did you mean 'CPU_ATTN'?", or nothing if no name is near.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const std::string_view best = nearest(name, candidates, std::max<std::size_t>(2, name.size() / 3));
  return best.empty() ? std::string() : cat("Did you mean '", best, "'? ");
}

}  // namespace

Failure unknown_family(const FamilySet &set, std::string_view name) {
  const std::vector<std::string> names = set.names();
  return {BKR_UNKNOWN_FAMILY, BKR_STAGE_NONE, cat("Unknown family: '", name, "'. Valid options are: ", join(names)),
          did_you_mean(name, names) + "A family of the host's own is added with bkr_family_add().", 0};
}

Failure unknown_member(const Family &family, std::string_view name) {
  const std::vector<std::string> names = family.names();
  return {BKR_UNKNOWN_NAME, BKR_STAGE_NONE,
          cat("Unknown ", family.texts().title, ": '", name, "'. Valid options are: ", join(names)),
          did_you_mean(name, names) +
              "Names are case-sensitive; a new one comes with a plugin's record or with bkr_member_register().",
          0};
}

Failure unknown_default_path(const Family &family, std::string_view path) {
  return {BKR_UNKNOWN_NAME, BKR_STAGE_NONE, cat("No ", family.texts().title, " has the default path '", path, "'."),
          "Overrides are not looked at: ask for the member by its name, or list the family's members.", 0};
}

Failure already_exists(const Member &member) {
  const FamilyTexts &texts = member.family().texts();
  return {BKR_ALREADY_EXISTS, BKR_STAGE_NONE,
          cat("Backend ", member.name(), " already exists in ", texts.collection, "."),
          cat("To put another path in its place, override ", texts.name, ".", member.name(),
              " with bkr_member_override() or set ", override_variable(texts.name, member.name()), "."),
          0};
}

Failure not_registered(const Member &member) {
  const FamilyTexts &texts = member.family().texts();
  return {BKR_NOT_REGISTERED, BKR_STAGE_NONE, cat(texts.subject, " ", member.name(), " must be registered before use."),
          cat("Give it a path: bkr_member_override() on ", texts.name, ".", member.name(), ", or set ",
              override_variable(texts.name, member.name()), "=/path/to/plugin.so (or a dotted path)."),
          0};
}

Failure path_refused(const Family &family, std::string_view member, Failure failure) {
  failure.reason = cat(family.texts().name, ".", member, ": ", failure.reason);
  return failure;
}

Result<const QualifiedPath *> path_of(const Member &member) {
  if (const QualifiedPath *path = member.effective().path()) return path;
  return fail(not_registered(member));
}

}  // namespace bkr::core
