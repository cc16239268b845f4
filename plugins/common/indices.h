// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_COMMON_INDICES_H
#define CPU_COMMON_INDICES_H

#include <cstddef>
#include <cstdint>

namespace cpu {

// A vector or table of int32 indices with free strides.
struct Indices {
  const std::byte *data = nullptr;
  int64_t row_stride = 0;  // bytes
  int64_t stride = 0;      // bytes

  explicit operator bool() const { return data != nullptr; }
  int64_t operator()(int64_t i) const { return *reinterpret_cast<const int32_t *>(data + i * stride); }
  int64_t operator()(int64_t row, int64_t i) const {
    return *reinterpret_cast<const int32_t *>(data + row * row_stride + i * stride);
  }
};

}  // namespace cpu

#endif  // CPU_COMMON_INDICES_H
