// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_DESCRIBE_DESCRIBE_H
#define BKR_DESCRIBE_DESCRIBE_H

#include <cstddef>
#include <string>
#include <string_view>

#include "base/failure.h"
#include "opened/opened_registry.h"

namespace bkr::core {

// The JSON documents of the C interface; registry.h says what they are for.
std::string describe_report(const OpenedRegistry &registry);
std::string describe_member(const OpenedRegistry &registry, const Member &member);
std::string describe_selection(const Selection &selection);
Result<std::string> describe_inspection(const std::string &file);

// Hands a document to a caller: cap 0 asks for the size, with the NUL; a document that does not fit is not written
// at all (BKR_BUFFER_TOO_SMALL). *need is set in any case. `function`: the caller's, for the text of a failure.
Result<void> hand_over(std::string_view function, const std::string &text, char *buffer, std::size_t cap,
                       std::size_t *need);

}  // namespace bkr::core

#endif  // BKR_DESCRIBE_DESCRIBE_H
