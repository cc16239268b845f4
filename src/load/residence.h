// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_LOAD_RESIDENCE_H
#define BKR_LOAD_RESIDENCE_H

#include <cstdint>
#include <optional>
#include <string>

namespace bkr::core {

// Why the system keeps a library in memory that we have closed, and what its author can do about it.
struct Residence {
  std::string reason;
  std::string next;
};

// Asks the system; nothing if the library is in memory no longer. `opened_as`, `base`: the text that it was opened by,
// and where it lay (another file may have that name by now); `inside`: an address of it.
std::optional<Residence> find_residence(const std::string &opened_as, uintptr_t base, uintptr_t inside);

}  // namespace bkr::core

#endif  // BKR_LOAD_RESIDENCE_H
