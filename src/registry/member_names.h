// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_REGISTRY_MEMBER_NAMES_H
#define BKR_REGISTRY_MEMBER_NAMES_H

#include <cstddef>
#include <string_view>

#include "base/failure.h"

namespace bkr::core {

inline constexpr std::size_t kMaxMemberName = 63;  // what a record's field holds
inline constexpr std::size_t kMaxFamilyName = 31;

// Whether a new member may have this name: an identifier of at most 63 bytes that is not reserved.
// BKR_INVALID_NAME.
Result<void> check_member_name(std::string_view name);

}  // namespace bkr::core

#endif  // BKR_REGISTRY_MEMBER_NAMES_H
