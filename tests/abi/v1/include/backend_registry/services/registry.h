/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKEND_REGISTRY_SERVICES_REGISTRY_H
#define BACKEND_REGISTRY_SERVICES_REGISTRY_H

/* The registry that loads a plugin, as the plugin sees it: the way to another backend, for one that wraps it or hands
 * some of its work on. (A plugin that links libbackend_registry instead may find itself with a second registry.)
 *
 *   const void *table = NULL;
 *   args->host_api->get_service(args->host, BKR_REGISTRY_SERVICE_1, &table, error);
 *   const bkr_registry_service_1 *registry = table;
 *
 * The core offers it to every plugin; a host cannot put another one in its place. */

#include "../types.h"

BKR_EXTERN_C_BEGIN

#define BKR_REGISTRY_SERVICE_1 "bkr.registry/1"

/* The functions do what those of registry.h do, with the same errors. Any thread, also inside a create function.
 * Members and factories live until the registry closes, backends until they are destroyed. */
typedef struct bkr_registry_service_1 {
  uint32_t struct_size;
  uint32_t flags; /* zero */

  /* Finds a member. BKR_UNKNOWN_FAMILY, BKR_UNKNOWN_NAME; BKR_WRONG_STATE if the registry was closed: only its
   * backends are left then. */
  bkr_status(BKR_CALL *find)(const bkr_host *host, const char *family, const char *name, bkr_member **member,
                             bkr_error *error);

  /* As bkr_member_load(). */
  bkr_status(BKR_CALL *load)(const bkr_member *member, bkr_factory **factory, bkr_error *error);

  /* As bkr_factory_create(). BKR_REENTRANT if this thread is inside the create of the same factory. */
  bkr_status(BKR_CALL *create)(bkr_factory *factory, const bkr_option *options, uint32_t count, bkr_backend **backend,
                               bkr_error *error);

  /* As bkr_backend_destroy(). A backend that another one made is best destroyed in that one's destroy. */
  void(BKR_CALL *destroy)(bkr_backend *backend);
} bkr_registry_service_1;

BKR_EXTERN_C_END

#endif /* BACKEND_REGISTRY_SERVICES_REGISTRY_H */
