// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_MAMBA_STATE_SHAPES_H
#define CPU_MAMBA_STATE_SHAPES_H

#include <backend_registry/interfaces/mamba.h>

namespace cpu {

enum class Member { mamba1, mamba2, short_conv, linear, gated_delta };

// Writes the shapes of a member's states. BKR_INVALID_ARGUMENT for sizes below 1 or whose product is no int64, and for
// places to write to that are NULL.
void give_state_shapes(Member member, const bkr_mamba_state_params &params);

}  // namespace cpu

#endif  // CPU_MAMBA_STATE_SHAPES_H
