/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BKR_TESTS_ABI_V1_SEEN_H
#define BKR_TESTS_ABI_V1_SEEN_H

/* What a plugin of these tests tells a host about what it was given: an interface of their own. Fixed, as all of v1/:
 * host and plugin may have been built with headers of different versions. */

#include <stdint.h>

#include "backend_registry/plugin.h"

#define ABI_SEEN "test.abi.seen/1"

typedef struct abi_seen {
  uint32_t struct_size;
  uint32_t flags;
  uint32_t args_size;        /* struct_size of bkr_create_args */
  uint32_t args_abi_version; /* what the args and */
  uint32_t host_abi_version; /* the table of the host say */
  uint32_t option_count;
  int32_t device_type;
  int32_t device_id;
  char option[64];      /* the first one, KEY=VALUE */
  char family[32];      /* as in bkr_create_args */
  char name[64];        /* */
  char path[192];       /* */
  char inner[64];       /* the name of the backend that it wraps, made with bkr.registry/1; "" for none */
  int32_t host_answer;  /* what the host's own service gave; 0 without it */
  int32_t unknown;      /* the status for a service that nobody has */
  char unknown_id[128]; /* the text that came with it */
} abi_seen;

/* A service of the host's own, offered in bkr_config::services. */
#define ABI_HOST_SERVICE "test.abi.host/1"

typedef struct abi_host_service {
  uint32_t struct_size;
  uint32_t flags;
  int32_t (*answer)(void);
} abi_host_service;

#endif /* BKR_TESTS_ABI_V1_SEEN_H */
