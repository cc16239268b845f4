// SPDX-License-Identifier: Apache-2.0
#include "threads/threads_service.h"

#include "base/error_writer.h"
#include "base/text.h"
#include "threads/thread_pool.h"

namespace bkr::core {

namespace {

uint32_t BKR_CALL worker_count(void *user) { return static_cast<const ThreadsService *>(user)->worker_count(); }

bkr_status BKR_CALL parallel_for(void *, uint32_t count, uint32_t workers, bkr_task_fn task, void *task_user,
                                 bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    if (!task || workers == 0) {
      return fail(BKR_INVALID_ARGUMENT,
                  cat(BKR_THREADS_SERVICE_1 " parallel_for: ", task ? "workers is 0." : "task is NULL."),
                  "Give a function, and as many workers as worker_count says, at least 1.");
    }
    ThreadPool *pool = ThreadPool::of_process();
    if (!pool) return fail(BKR_OUT_OF_MEMORY, "parallel_for: no memory for the threads.", "Free some, and try again.");
    if (pool->run(count, workers, task, task_user)) return {};
    return fail(BKR_PLUGIN_EXCEPTION,
                "parallel_for: an exception left a task, and was stopped; some of the tasks did not run.",
                "Catch inside the task; bkr::threads (services/threads.hpp) does, and hands the exception on.");
  });
}

}  // namespace

ThreadsService::ThreadsService() noexcept
    : table_{sizeof(bkr_threads_service_1), 0, this, bkr::core::worker_count, parallel_for} {}

}  // namespace bkr::core
