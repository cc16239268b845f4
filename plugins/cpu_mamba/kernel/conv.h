// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_MAMBA_KERNEL_CONV_H
#define CPU_MAMBA_KERNEL_CONV_H

#include <backend_registry/services/threads.hpp>

#include "batch.h"
#include "common/rows.h"
#include "common/scratch.h"

namespace cpu {

// [slots, channels, columns] with free strides, in bytes.
struct Columns {
  std::byte *data = nullptr;
  int64_t slot_stride = 0;
  int64_t channel_stride = 0;
  int64_t column_stride = 0;
  Element element = Element::float32;
};

// The causal convolution on checked arguments. Tensors of tokens and weight are rows of one head.
struct Conv {
  Batch batch;
  HeadRows x, weight, input_gate, output_gate, out;
  PerHead bias;
  Columns state;
  int64_t channels = 0;
  int64_t taps = 0;
  bool silu = false;
};

void run(const Conv &conv, Scratch &scratch, const bkr::threads &threads);

}  // namespace cpu

#endif  // CPU_MAMBA_KERNEL_CONV_H
