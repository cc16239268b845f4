// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_BASE_FAILURE_H
#define BKR_BASE_FAILURE_H

#include <backend_registry/status.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace bkr::core {

// Why something could not be done. A value: it is made where the fault is seen, handed up, and turned into a
// bkr_error at the C face.
struct Failure {
  bkr_status status = BKR_INTERNAL;
  int32_t stage = BKR_STAGE_NONE;
  std::string reason;  // what was asked and what was found; its first line is a summary
  std::string next;    // what to do about it; may be empty
  int32_t native_code = 0;
  bool defect = false;  // of a plugin: it gave what no plugin may give

  // The text a caller reads: the reason, and the advice on a line of its own.
  std::string text() const { return next.empty() ? reason : reason + "\n" + next; }
};

// Moved on, not copied: a copy of a failed one that finds no memory ends the process (its constructors are noexcept).
template <class T>
using Result = tl::expected<T, Failure>;

inline tl::unexpected<Failure> fail(bkr_status status, std::string reason, std::string next = {}) {
  return tl::unexpected<Failure>(Failure{status, BKR_STAGE_NONE, std::move(reason), std::move(next), 0});
}

inline tl::unexpected<Failure> fail(Failure failure) { return tl::unexpected<Failure>(std::move(failure)); }

// "BKR_NOT_FOUND", or "BKR_UNKNOWN_STATUS" for a number that is none. The text is static.
const char *status_name(bkr_status status) noexcept;

// "ok" for BKR_STAGE_NONE, else the word of a stage: "open", "format", …
std::string_view stage_word(int32_t stage) noexcept;

}  // namespace bkr::core

#endif  // BKR_BASE_FAILURE_H
