// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_MAMBA_KERNEL_BATCH_H
#define CPU_MAMBA_KERNEL_BATCH_H

#include "common/requests.h"

namespace cpu {

// The requests of a call, and where their states lie.
struct Batch {
  Requests requests;
  Indices slots;
  Indices initial;  // none: each has a state to begin with

  int64_t slot(int64_t request) const { return slots(request); }
  bool has_initial_state(int64_t request) const { return !initial || initial(request) != 0; }
  // A request without a slot is skipped, one without tokens leaves all as it is.
  bool has_work(int64_t request) const { return slot(request) >= 0 && requests.tokens(request) > 0; }
};

}  // namespace cpu

#endif  // CPU_MAMBA_KERNEL_BATCH_H
