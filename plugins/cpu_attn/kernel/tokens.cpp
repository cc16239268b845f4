// SPDX-License-Identifier: Apache-2.0
#include "tokens.h"

namespace cpu {

void copy_tokens(const Tokens &tokens, float *copy, int64_t stride) {
  with_element(tokens.element, [&](auto zero) {
    using E = decltype(zero);
    for (int64_t done = 0; done < tokens.count;) {
      const Run run = tokens.rows->run(tokens.first + done, tokens.count - done);
      for (int64_t i = 0; i < run.count; ++i) {
        widen_row(reinterpret_cast<const E *>(run.data + i * run.stride), tokens.size, copy);
        copy += stride;
      }
      done += run.count;
    }
  });
}

bool all_finite(const Tokens &tokens) {
  return with_element(tokens.element, [&](auto zero) {
    using E = decltype(zero);
    Floats doubt{};  // 0 times a finite number is 0, and no number otherwise
    float doubt_in_rest = 0.0f;
    for (int64_t done = 0; done < tokens.count;) {
      const Run run = tokens.rows->run(tokens.first + done, tokens.count - done);
      for (int64_t i = 0; i < run.count; ++i) {
        const E *row = reinterpret_cast<const E *>(run.data + i * run.stride);
        int64_t at = 0;
        for (; at + kLanes <= tokens.size; at += kLanes) doubt += widen(row + at) * 0.0f;
        for (; at < tokens.size; ++at) doubt_in_rest += static_cast<float>(row[at]) * 0.0f;
      }
      done += run.count;
    }
    return sum(doubt) + doubt_in_rest == 0.0f;
  });
}

}  // namespace cpu
