// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_FUZZ_SOUND_FAILURE_H
#define BKR_TESTS_FUZZ_SOUND_FAILURE_H

#include <string_view>

#include "base/failure.h"
#include "require.h"
#include "text_reference.h"

namespace bkr::core::fuzzing {

// A failure that can be handed to a caller: known numbers, and a text that a C string holds whole.
inline void require_sound(const Failure &failure) {
  require(failure.status != BKR_OK && std::string_view(status_name(failure.status)) != "BKR_UNKNOWN_STATUS", "status ",
          failure.status, " is none");
  require(stage_word(failure.stage) != "unknown", "stage ", failure.stage, " is none");
  require(!failure.reason.empty(), "a failure without a reason");
  require(failure.text().find('\0') == std::string::npos, "a reason with a NUL inside: ", failure.reason);
}

}  // namespace bkr::core::fuzzing

#endif  // BKR_TESTS_FUZZ_SOUND_FAILURE_H
