// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TOOL_MAMBA_CASE_H
#define BKR_TOOL_MAMBA_CASE_H

#include <backend_registry/interfaces/mamba.h>

#include "case.h"

namespace bkr::tool {

inline constexpr const char *kMambaInterface = BKR_MAMBA_1;

// Runs a case of bkr.mamba/1: the function that its params name. table is the interface's. Gives `out` and the state,
// `conv_state` or `state`.
CaseTensors run_mamba_case(bkr_backend *backend, const void *table, const Case &recorded);

}  // namespace bkr::tool

#endif  // BKR_TOOL_MAMBA_CASE_H
