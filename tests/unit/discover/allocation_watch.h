// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_UNIT_DISCOVER_ALLOCATION_WATCH_H
#define BKR_TESTS_UNIT_DISCOVER_ALLOCATION_WATCH_H

#include <cstddef>

namespace bkr::core::testing {

// The largest number of bytes that one `new` of this program asked for since forget_allocations().
std::size_t largest_allocation();
void forget_allocations();

}  // namespace bkr::core::testing

#endif  // BKR_TESTS_UNIT_DISCOVER_ALLOCATION_WATCH_H
