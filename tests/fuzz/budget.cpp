// SPDX-License-Identifier: Apache-2.0
#include "budget.h"

#include <ctime>

#include "allocation_watch.h"
#include "require.h"

namespace bkr::core::fuzzing {

namespace {

// Inputs of a few KiB take less than a millisecond; this is far above what a sanitizer adds.
constexpr int64_t kLongestNs = 2'000'000'000;

// The thread's own time: that of a busy machine's other programs is not ours.
int64_t cpu_time_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

Budget::Budget(std::size_t largest_allocation) : largest_allocation_(largest_allocation), begin_ns_(cpu_time_ns()) {
  testing::forget_allocations();
}

void Budget::require_kept(std::string_view what) const {
  const std::size_t largest = testing::largest_allocation();
  const int64_t spent = cpu_time_ns() - begin_ns_;
  require(largest <= largest_allocation_, what, " allocated ", largest, " bytes at once, allowed are ",
          largest_allocation_);
  require(spent <= kLongestNs, what, " took ", spent / 1'000'000, " ms");
}

}  // namespace bkr::core::fuzzing
