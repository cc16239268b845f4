// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_ATTN_KERNEL_TASK_H
#define CPU_ATTN_KERNEL_TASK_H

#include "attention.h"
#include "block.h"
#include "softmax.h"

namespace cpu {

// Keys that are worked on at a time, fewer if they are long.
inline constexpr int64_t kKeys = 256;
// Up to here the cache is read where it lies, without a copy.
inline constexpr int64_t kFewRows = 16;

// What a row has summed up of some of its keys, for another task's part to be added: values weighted with
// exp(score - largest), and that state.
struct Partial {
  Block out{};
  RowState *states = nullptr;
};

// Some tokens of a request times some heads that share a key head: the rows of one block of queries, heads fastest,
// so that one product serves them all.
struct Task {
  int64_t request;
  int64_t kv_head;
  int64_t first_head, heads;    // first_head within the whole
  int64_t first_token, tokens;  // within the request
  Visible keys;                 // all that one of the rows sees, or one piece of them
  int64_t piece = 0;            // which piece of how many
  int64_t pieces = 1;

  int64_t rows() const { return heads * tokens; }
};

// Scratch memory for one task of so many rows at most.
class Workspace {
 public:
  Workspace(const Attention &attention, int64_t rows);

  int64_t floats() const { return floats_; }
  void place(float *memory, RowState *states);  // floats() floats and one state a row

  int64_t keys;  // that are worked on at a time
  Block query{}, scores{}, out{};
  float *copy = nullptr;  // of keys or of values
  RowState *states = nullptr;

 private:
  int64_t rows_;
  int64_t floats_;
};

// Computes the task's rows of attention.out and attention.lse; or, of one piece of several, `partial`.
void run_task(const Attention &attention, const Task &task, const Workspace &space, const Partial &partial);

// Computes the rows of a task that was done in pieces. `partials` are those of the pieces, the first one's is used up.
void join_pieces(const Attention &attention, const Task &task, const Partial *partials);

}  // namespace cpu

#endif  // CPU_ATTN_KERNEL_TASK_H
