// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_KERNELS_ATTENTION_REFERENCE_H
#define BKR_TESTS_KERNELS_ATTENTION_REFERENCE_H

// Attention as attention.h states it, in plain loops and float64: what every backend's answer is measured against.
// It reads the very parameters that a backend is given, and writes nothing.

#include <backend_registry/interfaces/attention.h>

#include <cstdint>
#include <vector>

namespace bkr::test {

struct Reference {
  std::vector<double> out;   // [T, H, DV], compact
  double largest_score = 0;  // the largest |scale * query . key| of all, before soft cap and ALiBi
  double largest_value = 0;  // the largest |value| that was seen
  int64_t most_keys = 0;     // that a query saw
};

Reference attention_reference(const bkr_attention_forward_params &params);

}  // namespace bkr::test

#endif  // BKR_TESTS_KERNELS_ATTENTION_REFERENCE_H
