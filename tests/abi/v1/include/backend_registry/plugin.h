/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKEND_REGISTRY_PLUGIN_H
#define BACKEND_REGISTRY_PLUGIN_H

/* For authors of plugins, in C. A plugin is one shared library that
 *   - exports a create function (create_backend, below), and
 *   - carries a descriptor that says which backends it holds (BKR_PLUGIN in descriptor.h),
 * and links nothing of libbackend_registry. C++ authors find the comfortable way in plugin.hpp. */

#include "descriptor.h"
#include "types.h"

BKR_EXTERN_C_BEGIN

/* What a plugin may ask of the host that loads it. Valid until the backend's destroy has returned.
 * Every function may be called from any thread. */
typedef struct bkr_host_api {
  uint32_t struct_size;
  uint32_t abi_version; /* the host's, as BKR_ABI_VERSION */
  /* Writes one line to the host's log. text needs no NUL; level is a BKR_LOG_… below BKR_LOG_OFF. */
  void(BKR_CALL *log)(const bkr_host *host, int32_t level, const char *text, size_t len);
  /* Finds a table of functions by id ("bkr.threads/1"). BKR_UNSUPPORTED if the host has none by that id. */
  bkr_status(BKR_CALL *get_service)(const bkr_host *host, const char *id, const void **table, bkr_error *error);
} bkr_host_api;

/* What a create function is given. Everything is borrowed: options, family, backend_name and path end with
 * the call; host_api and host stay valid until the backend's destroy has returned. */
struct bkr_create_args {
  uint32_t struct_size;
  uint32_t flags;       /* zero */
  uint32_t abi_version; /* the host's, as BKR_ABI_VERSION */
  uint32_t option_count;
  const char *family;       /* the record's family, as the plugin's author wrote it */
  const char *backend_name; /* the record's name, as the plugin's author wrote it */
  const char *path;         /* the qualified path that led here */
  const bkr_option *options;
  const bkr_host_api *host_api;
  const bkr_host *host;
  void *user; /* what was given to bkr_provide(); NULL for a plugin */
};

/* One call at a time per backend is the rule; with this flag a backend accepts concurrent calls. */
#define BKR_BACKEND_CONCURRENT 1u

/* The functions of a backend. name, get_interface and destroy are mandatory. The table is constant, and
 * lives as long as the library. */
typedef struct bkr_backend_api {
  uint32_t struct_size;
  uint32_t flags; /* BKR_BACKEND_CONCURRENT or 0 */

  /* What the backend calls itself; lives as long as the backend. Any thread. */
  const char *(BKR_CALL *name)(const bkr_backend *backend);

  /* Says whether the backend can serve what the facts ask. Emits one reason for each thing it cannot do,
   * also `unknown requirement KEY=VALUE` for a fact that it does not know; no reason means yes. Returns
   * BKR_OK either way: another status says that the backend is broken. May be NULL: everything is fine. */
  bkr_status(BKR_CALL *validate)(bkr_backend *backend, const bkr_option *facts, uint32_t count, bkr_reason_fn emit,
                                 void *user, bkr_error *error);

  /* Does the heavy work (devices, memory, threads) once, before the first kernel. May be NULL. */
  bkr_status(BKR_CALL *init)(bkr_backend *backend, const bkr_device *device, bkr_error *error);

  /* Finds a table of kernels by id ("bkr.attention/1"): the same pointer for the same id until destroy.
   * BKR_UNSUPPORTED for an id that it does not have. Any thread, at any time. */
  bkr_status(BKR_CALL *get_interface)(bkr_backend *backend, const char *id, const void **table, bkr_error *error);

  /* Ends the backend and frees its memory. */
  void(BKR_CALL *destroy)(bkr_backend *backend);
} bkr_backend_api;

/* The head of every backend. A plugin allocates it, with its own fields behind. */
struct bkr_backend {
  const bkr_backend_api *api;
  void *core; /* the registry's own; must be NULL when the create function returns */
};

/* The function every plugin exports. (A library with several backends may have one for each, under names of
 * its own, or one that looks at family and backend_name.)
 *
 * On success it returns BKR_OK and a new backend; on failure another status, with a text if error is not
 * NULL, and leaves *backend alone. It is cheap: no thread, no device, no change of the process's state; that
 * belongs in init. It may run on several threads at once. An exception must not leave it. */
BKR_EXPORT bkr_status BKR_CALL create_backend(const bkr_create_args *args, bkr_backend **backend, bkr_error *error);

BKR_EXTERN_C_END

#endif /* BACKEND_REGISTRY_PLUGIN_H */
