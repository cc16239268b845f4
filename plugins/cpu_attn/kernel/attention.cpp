// SPDX-License-Identifier: Apache-2.0
#include "attention.h"

#include <algorithm>
#include <vector>

#include "task.h"

namespace cpu {
namespace {

// Query rows of a task. Many rows pay for the copy of the keys, so as many as leave each worker some tasks.
int64_t rows_of_task(const Attention &a, int64_t workers) {
  constexpr int64_t kTasksPerWorker = 8;
  const int64_t rows = a.requests.begin(a.requests.count) * a.heads;
  return std::clamp<int64_t>(rows / (workers * kTasksPerWorker), 128, 512);
}

// All keys that one of the tokens sees. Both ends of what a query sees only grow with its position.
Visible keys_of(const Attention &a, int64_t request, int64_t first_token, int64_t tokens) {
  const int64_t length = a.keys(request);
  const int64_t position = length - a.requests.tokens(request) + first_token;
  return {visible_keys(a, position, length).begin, visible_keys(a, position + tokens - 1, length).end};
}

std::vector<Task> make_tasks(const Attention &a, int64_t workers) {
  const int64_t rows = rows_of_task(a, workers);
  const int64_t group = a.heads / a.kv_heads;
  const int64_t heads = std::min(group, rows);
  const int64_t tokens = std::max<int64_t>(1, rows / heads);
  std::vector<Task> tasks;
  for (int64_t request = 0; request < a.requests.count; ++request) {
    const int64_t count = a.requests.tokens(request);
    for (int64_t kv_head = 0; kv_head < a.kv_heads; ++kv_head) {
      for (int64_t head = 0; head < group; head += heads) {
        // The last tokens first, which see the most: no worker shall begin a long task when the others are done.
        for (int64_t end = count; end > 0; end -= tokens) {
          const int64_t token = std::max<int64_t>(0, end - tokens);
          const int64_t some = end - token;
          tasks.push_back({request, kv_head, kv_head * group + head, std::min(heads, group - head), token, some,
                           keys_of(a, request, token, some)});
        }
      }
    }
  }
  return tasks;
}

// Keys times rows; reading a key costs about as much as using it for a few rows.
int64_t cost_of(const Task &task) {
  return std::max<int64_t>(0, task.keys.end - task.keys.begin) * std::max(task.rows(), kFewRows);
}

// Where there are fewer tasks than keep all workers busy (one request that is decoded, with few key heads), the long
// ones are cut into pieces, each with some of the keys: the pieces of a task follow each other.
std::vector<Task> split(const std::vector<Task> &tasks, int64_t workers) {
  constexpr int64_t kTasksPerWorker = 4;  // so that no worker waits long for the last one
  constexpr int64_t kLeastKeys = 256;     // of a piece: less is not worth the joining
  if (workers == 1) return tasks;
  int64_t cost = 0;
  for (const Task &task : tasks) cost += cost_of(task);
  const int64_t fair = std::max<int64_t>(1, cost / (workers * kTasksPerWorker));
  std::vector<Task> pieces;
  for (const Task &task : tasks) {
    const int64_t keys = task.keys.end - task.keys.begin;
    const int64_t wanted = std::min((cost_of(task) + fair - 1) / fair, keys / kLeastKeys);
    Task piece = task;
    piece.pieces = std::max<int64_t>(1, wanted);
    for (; piece.piece < piece.pieces; ++piece.piece) {
      piece.keys.begin = task.keys.begin + keys * piece.piece / piece.pieces;
      piece.keys.end = task.keys.begin + keys * (piece.piece + 1) / piece.pieces;
      pieces.push_back(piece);
    }
  }
  return pieces;
}

// Room for what pieces have summed up: one Partial for each task, empty ones for whole tasks.
class Partials {
 public:
  Partials(const std::vector<Task> &tasks, int64_t stride) : tasks_(tasks), stride_(stride) {
    for (const Task &task : tasks_) rows_ += task.pieces > 1 ? task.rows() : 0;
  }

  int64_t floats() const { return rows_ * stride_; }

  void place(float *memory) {
    states_.resize(static_cast<std::size_t>(rows_));
    RowState *states = states_.data();
    for (const Task &task : tasks_) {
      const int64_t rows = task.pieces > 1 ? task.rows() : 0;
      partials_.push_back({{memory, stride_}, states});
      memory += rows * stride_;
      states += rows;
    }
  }

  const Partial &operator[](std::size_t task) const { return partials_[task]; }

 private:
  const std::vector<Task> &tasks_;
  int64_t stride_;
  int64_t rows_ = 0;
  std::vector<RowState> states_;
  std::vector<Partial> partials_;
};

}  // namespace

Visible visible_keys(const Attention &a, int64_t position, int64_t seq_len) {
  Visible visible{0, seq_len};
  if (a.causal) visible.end = std::min(visible.end, position + 1);
  if (a.window_left >= 0) visible.begin = std::max(visible.begin, position - a.window_left);
  if (a.window_right >= 0) visible.end = std::min(visible.end, position + a.window_right + 1);
  return visible;
}

void run(const Attention &a, Scratch &scratch, const bkr::threads &threads) {
  int64_t workers = threads.worker_count();
  const std::vector<Task> tasks = split(make_tasks(a, workers), workers);
  int64_t rows = 0;
  for (const Task &task : tasks) rows = std::max(rows, task.rows());
  if (rows == 0) return;

  const int64_t stride = skewed(a.value_head_size);
  Partials partials(tasks, stride);
  const auto count = static_cast<int64_t>(tasks.size());
  workers = std::min(count, workers);
  // Each worker has its own memory, and room for the sums of a whole task.
  const int64_t own = floats_for_task(a, rows) + rows * stride;
  float *memory = scratch.floats(own * workers + partials.floats());
  partials.place(memory + own * workers);
  std::vector<RowState> states(static_cast<std::size_t>(rows * workers));
  threads.for_each(count, workers, [&](int64_t i, int64_t worker) {
    const auto at = static_cast<std::size_t>(i);
    float *mine = memory + worker * own;
    const Partial whole{{mine, stride}, states.data() + worker * rows};
    run_task(a, tasks[at], mine + rows * stride, tasks[at].pieces > 1 ? partials[at] : whole);
  });
  for (std::size_t task = 0; task < tasks.size(); ++task) {
    if (tasks[task].pieces > 1 && tasks[task].piece == 0) join_pieces(a, tasks[task], &partials[task]);
  }
}

}  // namespace cpu
