// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_ATTN_KERNEL_TASK_H
#define CPU_ATTN_KERNEL_TASK_H

#include "attention.h"
#include "block.h"
#include "softmax.h"
#include "tokens.h"

namespace cpu {

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

// What rows have summed up of some keys: values weighted with exp(score - largest), and that state.
struct Partial {
  Block out{};
  RowState *states = nullptr;
};

// A task with the attention it belongs to.
class TaskView {
 public:
  TaskView(const Attention &attention, const Task &task);

  // Row r is head r % heads of token r / heads.
  int64_t head(int64_t row) const { return task.first_head + row % task.heads; }
  int64_t query(int64_t row) const { return first_query_ + row / task.heads; }  // among those of the batch
  int64_t position(int64_t row) const { return first_position_ + row / task.heads; }

  Tokens key_tokens(int64_t first, int64_t count) const;
  Tokens value_tokens(int64_t first, int64_t count) const;
  // What a row sees of the keys first … first + count - 1, counted from first.
  Visible visible_part(int64_t row, int64_t first, int64_t count) const;

  // The query, scaled for scores in units of log2(e) (or for finish_scores), head_size floats. `next` is a row that
  // will be read soon: rows of a tensor may lie pages apart.
  void read_query(int64_t row, int64_t next, float *to) const;
  // Nothing seen but the sink, if there is one.
  RowState first_state(int64_t row) const;
  float slope(int64_t row) const;  // of ALiBi, in units of log2(e)

  const Attention &a;
  const Task &task;
  const int64_t rows;

 private:
  const int64_t first_query_;
  const TokenRows keys_, values_;
  const int64_t seq_len_;
  const int64_t first_position_;
};

// Up to here the cache is read where it lies; more rows pay for a copy.
inline constexpr int64_t kFewRows = 16;

// Sums up the task's keys: for few rows (few_rows.cpp) and for many (many_rows.cpp). `memory` has as many floats as
// the function beside says.
void sum_few(const TaskView &task, float *memory, const Partial &result);
int64_t floats_for_few(const Attention &attention);
void sum_many(const TaskView &task, float *memory, const Partial &result);
int64_t floats_for_many(const Attention &attention, int64_t rows);

// Computes the task's rows of attention.out and attention.lse; or, of one piece of several, leaves what it has summed
// up in `result`, which has room for its rows.
void run_task(const Attention &attention, const Task &task, float *memory, const Partial &result);
// For a task of so many rows at most.
int64_t floats_for_task(const Attention &attention, int64_t rows);

// Computes the rows of a task that was done in pieces. `partials` are those of the pieces, the first one's is used up.
void join_pieces(const Attention &attention, const Task &task, const Partial *partials);

}  // namespace cpu

#endif  // CPU_ATTN_KERNEL_TASK_H
