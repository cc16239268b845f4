// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_ATTN_KERNEL_TOKENS_H
#define CPU_ATTN_KERNEL_TOKENS_H

#include <algorithm>
#include <cstdint>

#include "common/element.h"
#include "key_value.h"

namespace cpu {

// What is read of keys or values: the tokens first … first + count - 1, `size` elements of each.
struct Tokens {
  const TokenRows *rows;
  Element element;
  int64_t first;
  int64_t count;
  int64_t size;
};

// As float32, to rows of a copy that are `stride` floats apart.
void copy_tokens(const Tokens &tokens, float *copy, int64_t stride);

inline constexpr int64_t kLine = 64;  // bytes that caches hold together

// Has memory brought into the caches that will be read (0) or written (1) soon.
template <int written>
inline void ask_for(const std::byte *memory, int64_t bytes) {
  for (int64_t at = 0; at < bytes; at += kLine) __builtin_prefetch(memory + at, written);
}

// Tokens that will be worked on next, asked for a few cache lines at a time while there is other work: blocks of a
// cache lie anywhere, so the hardware cannot guess them, and of many lines at once the work has to wait for the first.
class LinesAhead {
 public:
  explicit LinesAhead(const Tokens &tokens) : tokens_(tokens), bytes_(tokens.size * size_of(tokens.element)) {}

  int64_t lines() const { return tokens_.count * ((bytes_ + kLine - 1) / kLine); }

  // Says how many of so many there were not.
  int64_t ask(int64_t lines) {
    for (; lines > 0 && token_ < tokens_.count; --lines) {
      if (at_ == 0) row_ = tokens_.rows->run(tokens_.first + token_, 1).data;
      __builtin_prefetch(row_ + at_);
      at_ += kLine;
      if (at_ < bytes_) continue;
      at_ = 0;
      ++token_;
    }
    return lines;
  }

 private:
  Tokens tokens_;
  int64_t bytes_;  // of a token
  int64_t token_ = 0;
  int64_t at_ = 0;
  const std::byte *row_ = nullptr;
};

// Whether none of the elements is infinite or no number.
bool all_finite(const Tokens &tokens);

}  // namespace cpu

#endif  // CPU_ATTN_KERNEL_TOKENS_H
