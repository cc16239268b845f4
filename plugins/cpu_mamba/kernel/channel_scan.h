// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_MAMBA_KERNEL_CHANNEL_SCAN_H
#define CPU_MAMBA_KERNEL_CHANNEL_SCAN_H

#include <backend_registry/services/threads.hpp>

#include "batch.h"
#include "common/rows.h"
#include "common/scratch.h"

namespace cpu {

// The scan of MAMBA1 on checked arguments: each channel has a step and a row of A of its own, so that there are no
// products of matrices in it, and an exponential for each element of the state and each token.
struct ChannelScan {
  Batch batch;
  HeadRows x, dt, z, out;  // [T, channels], as rows of one head; z or none
  HeadRows A;              // [channels, state_size], float32
  HeadRows B, C;           // [T, groups, state_size]
  HeadRows state;          // [slots, channels, state_size]
  PerHead D, dt_bias;      // of channels, or none
  int64_t channels = 0;
  int64_t groups = 0;
  int64_t state_size = 0;
  bool dt_softplus = false;
};

void run(const ChannelScan &scan, Scratch &scratch, const bkr::threads &threads);

}  // namespace cpu

#endif  // CPU_MAMBA_KERNEL_CHANNEL_SCAN_H
