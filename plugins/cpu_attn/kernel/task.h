// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_ATTN_KERNEL_TASK_H
#define CPU_ATTN_KERNEL_TASK_H

#include "attention.h"
#include "block.h"
#include "softmax.h"

namespace cpu {

// Keys that are worked on at a time.
inline constexpr int64_t kKeys = 256;
// Up to here the cache is read where it lies, without a copy.
inline constexpr int64_t kFewRows = 16;

// Some tokens of a request times some heads that share a key head: the rows of one block of queries, heads fastest,
// so that one product serves them all.
struct Task {
  int64_t request;
  int64_t kv_head;
  int64_t first_head, heads;    // first_head within the whole
  int64_t first_token, tokens;  // within the request

  int64_t rows() const { return heads * tokens; }
};

// Scratch memory for one task of so many rows at most.
class Workspace {
 public:
  Workspace(const Attention &attention, int64_t rows);

  int64_t floats() const { return floats_; }
  void place(float *memory, RowState *states);  // floats() floats and one state a row

  Block query{}, scores{}, out{};
  float *copy = nullptr;  // of keys or of values
  RowState *states = nullptr;

 private:
  int64_t rows_;
  int64_t floats_;
};

// Computes the task's rows of attention.out.
void run_task(const Attention &attention, const Task &task, const Workspace &space);

}  // namespace cpu

#endif  // CPU_ATTN_KERNEL_TASK_H
