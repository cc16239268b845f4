/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKEND_REGISTRY_TYPES_H
#define BACKEND_REGISTRY_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "export.h"
#include "status.h"
#include "version.h"

/* What hosts and plugins both speak of.
 *
 * Rules of every struct that crosses the boundary: it begins with struct_size (set it to sizeof), has no
 * padding at its end, grows only at its end, and zero in a new field means the old behaviour. A request
 * longer than the receiver knows is accepted only if what it does not know is zero; a table of functions
 * longer than known is used for what is known. Frozen for ever, and therefore without struct_size:
 * bkr_option, bkr_service, bkr_backend. All text is UTF-8. */

BKR_EXTERN_C_BEGIN

typedef struct bkr_backend bkr_backend;         /* one instance made by a factory */
typedef struct bkr_member bkr_member;           /* one name of a family */
typedef struct bkr_factory bkr_factory;         /* a loaded target */
typedef struct bkr_host bkr_host;               /* the host as a plugin sees it: only ever passed back */
typedef struct bkr_create_args bkr_create_args; /* plugin.h */

/* One setting or fact as text, e.g. {"head_size", "128"}. Neither pointer is NULL. */
typedef struct bkr_option {
  const char *key;
  const char *value;
} bkr_option;

/* A table of functions that a host offers to plugins under an id. The table stays valid as long as the
 * registry or any backend that it made. */
typedef struct bkr_service {
  const char *id;
  const void *table;
} bkr_service;

/* The device a backend shall run on; device_type is a DLPack DLDeviceType (1: CPU). */
typedef struct bkr_device {
  uint32_t struct_size;
  int32_t device_type;
  int32_t device_id;
  uint32_t reserved0; /* zero */
} bkr_device;

/* Levels of log texts, and of bkr_config::log_level. */
#define BKR_LOG_TRACE 1
#define BKR_LOG_DEBUG 2
#define BKR_LOG_INFO 3
#define BKR_LOG_WARN 4
#define BKR_LOG_ERR 5
#define BKR_LOG_CRITICAL 6
#define BKR_LOG_OFF 7

/* Receives one reason why a backend cannot serve what was asked. reason is copied before the function
 * returns. Called on the thread that called bkr_backend_validate(). */
typedef void(BKR_CALL *bkr_reason_fn)(void *user, const char *reason);

/* Makes one backend. Both the `create_backend` that a plugin exports and a function that a host hands to
 * bkr_provide() are of this type; its duties are described at create_backend() in plugin.h. */
typedef bkr_status(BKR_CALL *bkr_create_backend_fn)(const bkr_create_args *args, bkr_backend **backend,
                                                    bkr_error *error);

BKR_EXTERN_C_END

#endif /* BACKEND_REGISTRY_TYPES_H */
