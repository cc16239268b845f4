// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_ATTN_KERNEL_WORKERS_H
#define CPU_ATTN_KERNEL_WORKERS_H

#include <cstdint>

namespace cpu_attn {

// How many tasks run at the same time; each of them has a worker's number below it.
inline int64_t worker_count() { return 1; }

// Calls fn(task, worker) for every task below count. Tasks are independent of each other and may run in any order:
// this is the one place where work is shared out, and today it has one worker.
template <class Fn>
void for_each_task(int64_t count, Fn &&fn) {
  for (int64_t task = 0; task < count; ++task) fn(task, int64_t{0});
}

}  // namespace cpu_attn

#endif  // CPU_ATTN_KERNEL_WORKERS_H
