// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_MAMBA_KERNEL_TOKEN_BY_TOKEN_H
#define CPU_MAMBA_KERNEL_TOKEN_BY_TOKEN_H

#include "recurrence.h"

namespace cpu {

// The recurrence as it stands, one token after the other. For few tokens, where reading and writing the state decides:
// each of its rows is read once, used for all tokens and written.
int64_t floats_token_by_token(const Recurrence &r, int64_t tokens);
void run_token_by_token(const Recurrence &r, const HeadTask &task, float *space);

}  // namespace cpu

#endif  // CPU_MAMBA_KERNEL_TOKEN_BY_TOKEN_H
