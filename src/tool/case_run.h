// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TOOL_CASE_RUN_H
#define BKR_TOOL_CASE_RUN_H

#include <backend_registry/types.h>

#include <string>
#include <vector>

#include "case.h"

namespace bkr::tool {

// How far one tensor of a run is from the recorded one. Differences that are no number (a NaN where there should be
// none, or the other way) count as infinite.
struct Difference {
  std::string tensor;
  double largest_absolute = 0;
  std::vector<int64_t> place_absolute;  // of the largest; empty if there is no element
  double largest_relative = 0;          // |difference| / |expected|, where expected is not 0
  std::vector<int64_t> place_relative;
  int64_t elements = 0;
  int64_t beyond = 0;  // of them, those with |difference| > absolute + relative * |expected|
};

struct CaseResult {
  std::vector<Difference> differences;  // one for each expected tensor

  bool passed() const;
};

// Runs the case through the backend's interface, on copies of its tensors. CaseError if the backend lacks the
// interface, if the case does not fit it, or if a call fails: the text says which call, and the backend's text.
CaseResult run_case(bkr_backend *backend, const Case &recorded);

Difference compare(const std::string &name, const CaseTensor &actual, const CaseTensor &expected, Tolerance tolerance);

}  // namespace bkr::tool

#endif  // BKR_TOOL_CASE_RUN_H
