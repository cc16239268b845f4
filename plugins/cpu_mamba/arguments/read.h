// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_MAMBA_ARGUMENTS_READ_H
#define CPU_MAMBA_ARGUMENTS_READ_H

// From the parameters of a call to what the kernels take. All that can be wrong is found here, before anything is
// written: bkr::error with BKR_INVALID_ARGUMENT.

#include <backend_registry/interfaces/mamba.h>

#include "kernel/channel_scan.h"
#include "kernel/conv.h"
#include "kernel/recurrence.h"

namespace cpu {

Conv read(const bkr_mamba_conv_params &params);
ChannelScan read_channel_scan(const bkr_mamba_scan_params &params);  // MAMBA1
Recurrence read_head_scan(const bkr_mamba_scan_params &params);      // MAMBA2
Recurrence read(const bkr_mamba_linear_params &params);
Recurrence read(const bkr_mamba_delta_params &params);

}  // namespace cpu

#endif  // CPU_MAMBA_ARGUMENTS_READ_H
