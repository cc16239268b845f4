// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_BASE_PROCESS_H
#define BKR_BASE_PROCESS_H

#include <cstdint>

namespace bkr::core {

// This process; another number in a forked child.
int64_t process_id() noexcept;

// Whether the process runs with more rights than who started it (set-user-ID and the like), so that the
// environment is not to be trusted: the rule of secure_getenv().
bool is_elevated() noexcept;

// How many CPUs this process may use at the same time, at least 1.
uint32_t usable_cpus() noexcept;

}  // namespace bkr::core

#endif  // BKR_BASE_PROCESS_H
