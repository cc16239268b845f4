/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKEND_REGISTRY_SERVICES_THREADS_H
#define BACKEND_REGISTRY_SERVICES_THREADS_H

/* Threads for the work of a kernel, one set of them for all plugins of a process: backends that each start their own
 * would fight for the same cores.
 *
 *   const void *table = NULL;
 *   args->host_api->get_service(args->host, BKR_THREADS_SERVICE_1, &table, error);
 *   const bkr_threads_service_1 *threads = table;
 *   threads->parallel_for(threads->user, count, threads->worker_count(threads->user), task, mine, error);
 *
 * A host that has threads of its own offers this table in bkr_config.services; the core offers its pool otherwise,
 * with as many threads as bkr_registry_set_threads() says, else BKR_NUM_THREADS, else one for each CPU that the
 * process may use. The pool starts its threads at the first parallel_for that needs them, and starts new ones in a
 * forked child. */

#include "../types.h"

BKR_EXTERN_C_BEGIN

#define BKR_THREADS_SERVICE_1 "bkr.threads/1"

/* One task of a parallel_for. `worker` is below the call's `workers`, and no two tasks of a call that run at the same
 * time have the same one: it may index scratch memory. Must not throw, fork or end its thread; it may call
 * parallel_for, whose tasks then run one after the other. */
typedef void(BKR_CALL *bkr_task_fn)(void *task_user, uint32_t task, uint32_t worker);

typedef struct bkr_threads_service_1 {
  uint32_t struct_size;
  uint32_t flags; /* zero */
  void *user;     /* to be given to the functions */

  /* How many tasks of a call may run at the same time, the caller's included; at least 1. The answer may change between
   * calls. [any thread] */
  uint32_t(BKR_CALL *worker_count)(void *user);

  /* Calls task(task_user, i, worker) for every i below count, in any order, `workers` (at least 1) of them at the same
   * time at most, and returns when all have returned; the calling thread takes part. What was written before the call
   * is seen by the tasks, what they write is seen after it. Calls from several threads are all served; one that finds
   * the threads busy may do its tasks alone. count 0 does nothing. BKR_INVALID_ARGUMENT if task is NULL or workers 0;
   * BKR_PLUGIN_EXCEPTION if an exception left a task: some tasks may not have run then. [any thread] */
  bkr_status(BKR_CALL *parallel_for)(void *user, uint32_t count, uint32_t workers, bkr_task_fn task, void *task_user,
                                     bkr_error *error);
} bkr_threads_service_1;

BKR_EXTERN_C_END

#endif /* BACKEND_REGISTRY_SERVICES_THREADS_H */
