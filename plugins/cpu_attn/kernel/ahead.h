// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_ATTN_KERNEL_AHEAD_H
#define CPU_ATTN_KERNEL_AHEAD_H

#include "key_value.h"

namespace cpu {

// The run of tokens behind the one that is worked on, asked for line by line as the work goes on. Blocks of a cache
// lie anywhere, so the hardware cannot guess the next; and asked for all at once, the lines would wait for each other
// with the work waiting behind them (measured: half as fast).
class Ahead {
 public:
  Ahead() = default;
  Ahead(const Run &next, int64_t row_bytes)
      : row_(next.data), rows_(next.count), stride_(next.stride), row_bytes_(row_bytes) {}

  // To be called once for every `bytes` of the present run: asks for as much of the next one.
  template <std::size_t bytes>
  void advance() {
    if constexpr (bytes >= kLine) {
      for (std::size_t i = 0; i < bytes / kLine; ++i) ask();
    } else {
      pending_ += bytes;
      if (pending_ < kLine) return;
      pending_ = 0;
      ask();
    }
  }

 private:
  static constexpr std::size_t kLine = 64;

  void ask() {
    if (rows_ <= 0) return;
    __builtin_prefetch(row_ + at_);
    at_ += int64_t{kLine};
    if (at_ < row_bytes_) return;
    at_ = 0;
    row_ += stride_;
    --rows_;
  }

  const std::byte *row_ = nullptr;
  int64_t rows_ = 0;  // left
  int64_t stride_ = 0;
  int64_t row_bytes_ = 0;
  int64_t at_ = 0;
  std::size_t pending_ = 0;
};

}  // namespace cpu

#endif  // CPU_ATTN_KERNEL_AHEAD_H
