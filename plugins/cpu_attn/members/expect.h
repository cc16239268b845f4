// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_ATTN_MEMBERS_EXPECT_H
#define CPU_ATTN_MEMBERS_EXPECT_H

#include "common/refuse.h"

namespace cpu {

inline void expect_no_stream(const void *stream) {
  if (stream != nullptr) refuse("stream is not NULL; there are none on a CPU");
}

}  // namespace cpu

#endif  // CPU_ATTN_MEMBERS_EXPECT_H
