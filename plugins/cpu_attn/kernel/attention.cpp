// SPDX-License-Identifier: Apache-2.0
#include "attention.h"

#include <algorithm>
#include <vector>

#include "task.h"

namespace cpu {
namespace {

// Query rows of a task: many rows pay for the copy of the keys, few leave room for them in the second cache level.
constexpr int64_t kTaskRows = 128;

std::vector<Task> make_tasks(const Attention &a) {
  const int64_t group = a.heads / a.kv_heads;
  const int64_t heads = std::min(group, kTaskRows);
  const int64_t tokens = std::max<int64_t>(1, kTaskRows / heads);
  std::vector<Task> tasks;
  for (int64_t request = 0; request < a.requests.count; ++request) {
    const int64_t count = a.requests.tokens(request);
    for (int64_t kv_head = 0; kv_head < a.kv_heads; ++kv_head) {
      for (int64_t head = 0; head < group; head += heads) {
        for (int64_t token = 0; token < count; token += tokens) {
          tasks.push_back({request, kv_head, kv_head * group + head, std::min(heads, group - head), token,
                           std::min(tokens, count - token)});
        }
      }
    }
  }
  return tasks;
}

}  // namespace

Visible visible_keys(const Attention &a, int64_t position, int64_t seq_len) {
  Visible visible{0, seq_len};
  if (a.causal) visible.end = std::min(visible.end, position + 1);
  if (a.window_left >= 0) visible.begin = std::max(visible.begin, position - a.window_left);
  if (a.window_right >= 0) visible.end = std::min(visible.end, position + a.window_right + 1);
  return visible;
}

void run(const Attention &a, Scratch &scratch, const bkr::threads &threads) {
  const std::vector<Task> tasks = make_tasks(a);
  int64_t rows = 0;
  for (const Task &task : tasks) rows = std::max(rows, task.rows());
  if (rows == 0) return;

  const Workspace layout(a, rows);
  const auto count = static_cast<int64_t>(tasks.size());
  const int64_t workers = std::min(count, threads.worker_count());
  float *memory = scratch.floats(layout.floats() * workers);
  std::vector<RowState> states(static_cast<std::size_t>(rows * workers));
  threads.for_each(count, workers, [&](int64_t task, int64_t worker) {
    Workspace space = layout;
    space.place(memory + worker * layout.floats(), states.data() + worker * rows);
    run_task(a, tasks[static_cast<std::size_t>(task)], space);
  });
}

}  // namespace cpu
