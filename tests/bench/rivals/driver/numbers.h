// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_BENCH_RIVALS_NUMBERS_H
#define BKR_TESTS_BENCH_RIVALS_NUMBERS_H

// Many runs of one thing as one number, with how far they lie apart.
#include <cstddef>
#include <vector>

namespace rivals {

struct Spread {
  double median = 0;
  double lower = 0;  // a quarter of the runs lies below
  double upper = 0;  // a quarter lies above
};

// Not empty.
Spread spread_of(std::vector<double> runs);

// Each run divided by the run of the other that stood beside it in the same round: what slows both down at once
// drops out.
std::vector<double> ratios(const std::vector<double> &runs, const std::vector<double> &others);

// The same for what one has above the other.
std::vector<double> differences(const std::vector<double> &runs, const std::vector<double> &others);

}  // namespace rivals

#endif  // BKR_TESTS_BENCH_RIVALS_NUMBERS_H
