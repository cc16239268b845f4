// SPDX-License-Identifier: Apache-2.0
#include "recurrence.h"

#include <algorithm>
#include <vector>

#include "chunks.h"
#include "token_by_token.h"

namespace cpu {
namespace {

constexpr int64_t kChunk = 64;  // where the kernel chooses: products of a good size, and few weights of pairs
constexpr int64_t kLongestChunk = 256;
constexpr int64_t kFewTokens = 8;  // up to here the recurrence is no slower
constexpr int64_t kWidth = 512;    // values that stand side by side in a product

int64_t chunk_of(const Recurrence &r) { return r.chunk_size == 0 ? kChunk : std::min(r.chunk_size, kLongestChunk); }

bool in_chunks(const Recurrence &r, int64_t request) {
  return r.chunk_size != 1 && r.batch.requests.tokens(request) > kFewTokens;
}

// The more heads share a task, the less often the products of queries and keys are made; but all workers need some.
int64_t heads_of_task(const Recurrence &r, int64_t requests, int64_t workers) {
  const int64_t most = std::min(r.heads_of_group(), std::max<int64_t>(1, kWidth / r.value_size));
  const int64_t enough = requests * r.heads / (workers * 2);
  return std::clamp<int64_t>(enough, 1, most);
}

}  // namespace

void run(const Recurrence &r, Scratch &scratch, const bkr::threads &threads) {
  int64_t requests = 0;
  for (int64_t i = 0; i < r.batch.requests.count; ++i) requests += r.batch.has_work(i) ? 1 : 0;
  const int64_t most_workers = threads.worker_count();
  const int64_t together = heads_of_task(r, requests, most_workers);

  std::vector<HeadTask> tasks;
  int64_t floats = 0;
  for (int64_t i = 0; i < r.batch.requests.count; ++i) {
    if (!r.batch.has_work(i)) continue;
    const int64_t tokens = r.batch.requests.tokens(i);
    floats = std::max(floats, in_chunks(r, i) ? floats_in_chunks(r, together, std::min(chunk_of(r), tokens))
                                              : floats_token_by_token(r, tokens));
    for (int64_t head = 0; head < r.heads;) {
      const int64_t group = head / r.heads_of_group();
      const int64_t heads = std::min(together, (group + 1) * r.heads_of_group() - head);
      tasks.push_back({i, group, head, heads});
      head += heads;
    }
  }
  if (tasks.empty()) return;
  const auto count = static_cast<int64_t>(tasks.size());
  const int64_t workers = std::min(count, most_workers);
  float *memory = scratch.floats(floats * workers);
  threads.for_each(count, workers, [&](int64_t i, int64_t worker) {
    const HeadTask &task = tasks[static_cast<std::size_t>(i)];
    float *space = memory + worker * floats;
    if (in_chunks(r, task.request)) {
      run_in_chunks(r, task, std::min(chunk_of(r), r.batch.requests.tokens(task.request)), space);
    } else {
      run_token_by_token(r, task, space);
    }
  });
}

}  // namespace cpu
