// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_FUZZ_REQUIRE_H
#define BKR_TESTS_FUZZ_REQUIRE_H

#include <cstdlib>
#include <iostream>

#include "base/text.h"

namespace bkr::core::fuzzing {

// Aborts with a message if a promise is broken: what libFuzzer takes for a finding, and CTest for a failure.
template <class... Parts>
void require(bool kept, const Parts &...message) {
  if (kept) return;
  std::cerr << "broken promise: " << cat(message...) << std::endl;
  std::abort();
}

}  // namespace bkr::core::fuzzing

#endif  // BKR_TESTS_FUZZ_REQUIRE_H
