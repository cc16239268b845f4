// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_KERNELS_MAMBA_REFERENCE_H
#define BKR_TESTS_KERNELS_MAMBA_REFERENCE_H

#include <string>
#include <vector>

#include "mamba_call.h"

namespace bkr::test {

// What a call must come to, by plain loops in float64. Row-major; NaN where nothing may be written.
struct MambaReference {
  std::vector<double> out;
  std::vector<double> state;  // all slots
  double largest = 0.0;       // of any state or sum: what the error of a sum in float32 is measured by
  int64_t most_tokens = 0;    // of a request
};
MambaReference mamba_reference(MambaCall &call);

// Every element of out and of the state (rounded to their types), with no number exactly where the reference has none.
void expect_results(MambaCall &call, const MambaReference &reference, const std::string &what = {});

// All elements of a tensor, row-major.
std::vector<double> numbers_of(StridedTensor &tensor);

}  // namespace bkr::test

#endif  // BKR_TESTS_KERNELS_MAMBA_REFERENCE_H
