// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TOOL_MLA_PREFILL_CASE_H
#define BKR_TOOL_MLA_PREFILL_CASE_H

#include <backend_registry/interfaces/mla_prefill.h>

#include "case.h"

namespace bkr::tool {

inline constexpr const char *kMlaPrefillInterface = BKR_MLA_PREFILL_1;

// Runs a case of bkr.mla_prefill/1: the function that its params name. table is the interface's. Gives `out` and `lse`.
CaseTensors run_mla_prefill_case(bkr_backend *backend, const void *table, const Case &recorded);

}  // namespace bkr::tool

#endif  // BKR_TOOL_MLA_PREFILL_CASE_H
