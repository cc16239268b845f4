// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_ATTN_VALIDATE_H
#define CPU_ATTN_VALIDATE_H

#include <backend_registry/plugin_backend.hpp>

namespace cpu {

// Says in an engine's own words what this backend cannot do of what the facts ask, in the order of an engine's
// checks; then the facts that it does not know.
void validate(const bkr::options &facts, bkr::reasons &against);

}  // namespace cpu

#endif  // CPU_ATTN_VALIDATE_H
