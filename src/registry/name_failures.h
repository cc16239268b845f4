// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_REGISTRY_NAME_FAILURES_H
#define BKR_REGISTRY_NAME_FAILURES_H

#include <string_view>

#include "base/failure.h"
#include "registry/family.h"
#include "registry/family_set.h"

namespace bkr::core {

// The failures about names. Their first line is what engines already know from their Python registries, to the
// word; the second says what to do here.
Failure unknown_family(const FamilySet &set, std::string_view name);
Failure unknown_member(const Family &family, std::string_view name);
Failure unknown_default_path(const Family &family, std::string_view path);
Failure already_exists(const Member &member);
Failure not_registered(const Member &member);

// Why a path cannot be given to a member, told of that member.
Failure path_refused(const Family &family, std::string_view member, Failure failure);

// The path in force, or not_registered().
Result<const QualifiedPath *> path_of(const Member &member);

}  // namespace bkr::core

#endif  // BKR_REGISTRY_NAME_FAILURES_H
