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

// Has memory brought into the caches that will be read (0) or written (1) soon.
template <int written>
inline void ask_for(const std::byte *memory, int64_t bytes) {
  constexpr int64_t kLine = 64;
  for (int64_t at = 0; at < bytes; at += kLine) __builtin_prefetch(memory + at, written);
}

// Tokens that will be worked on next, asked for row by row while there is other work: blocks of a cache lie anywhere,
// so the hardware cannot guess them.
class RowsAhead {
 public:
  explicit RowsAhead(const Tokens &tokens) : tokens_(tokens) {}

  void ask(int64_t rows) {
    const int64_t bytes = tokens_.size * size_of(tokens_.element);
    for (const int64_t end = std::min(tokens_.count, asked_ + rows); asked_ < end; ++asked_) {
      ask_for<0>(tokens_.rows->run(tokens_.first + asked_, 1).data, bytes);
    }
  }

 private:
  Tokens tokens_;
  int64_t asked_ = 0;
};

// Whether none of the elements is infinite or no number.
bool all_finite(const Tokens &tokens);

}  // namespace cpu

#endif  // CPU_ATTN_KERNEL_TOKENS_H
