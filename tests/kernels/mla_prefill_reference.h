// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_KERNELS_MLA_PREFILL_REFERENCE_H
#define BKR_TESTS_KERNELS_MLA_PREFILL_REFERENCE_H

#include <backend_registry/interfaces/mla_prefill.h>

#include <vector>

#include "attention_reference.h"

namespace bkr::test {

// Prefill as mla_prefill.h states it, in plain loops and float64. Reads the parameters, and writes nothing.
struct PrefillReference : Reference {
  std::vector<double> lse;  // [H, T], compact
};
PrefillReference mla_prefill_reference(const bkr_mla_prefill_params &params);

}  // namespace bkr::test

#endif  // BKR_TESTS_KERNELS_MLA_PREFILL_REFERENCE_H
