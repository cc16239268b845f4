// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_COMMON_ROWS_H
#define CPU_COMMON_ROWS_H

// Views of tensors whose checks are over: where they lie, and of what type.

#include <cstddef>
#include <cstdint>

#include "element.h"

namespace cpu {

// A [tokens, heads, size] tensor whose rows are contiguous. Strides are in bytes.
struct HeadRows {
  std::byte *data = nullptr;
  int64_t token_stride = 0;
  int64_t head_stride = 0;
  Element element = Element::float32;

  explicit operator bool() const { return data != nullptr; }
  std::byte *row(int64_t token, int64_t head) const { return data + token * token_stride + head * head_stride; }
};

// A vector of any of the types, or none.
struct PerHead {
  const std::byte *data = nullptr;
  int64_t stride = 0;  // bytes
  Element element = Element::float32;

  explicit operator bool() const { return data != nullptr; }
  float operator()(int64_t head) const {
    return with_element(element, [&](auto zero) {
      return static_cast<float>(*reinterpret_cast<const decltype(zero) *>(data + head * stride));
    });
  }
};

}  // namespace cpu

#endif  // CPU_COMMON_ROWS_H
