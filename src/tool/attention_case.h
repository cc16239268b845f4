// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TOOL_ATTENTION_CASE_H
#define BKR_TOOL_ATTENTION_CASE_H

#include <backend_registry/interfaces/attention.h>

#include "case.h"

namespace bkr::tool {

inline constexpr const char *kAttentionInterface = BKR_ATTENTION_1;

// Runs a case of bkr.attention/1: write_kv if it has a slot_mapping, then forward if it has a query. table is the
// interface's. Gives `out` and, if there is one, `kv_cache`.
CaseTensors run_attention_case(bkr_backend *backend, const void *table, const Case &recorded);

}  // namespace bkr::tool

#endif  // BKR_TOOL_ATTENTION_CASE_H
