/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BKR_TESTS_API_C_OWN_BACKEND_H
#define BKR_TESTS_API_C_OWN_BACKEND_H

/* A backend that a host in C provides itself: it knows one fact, and has one interface. */

#include "backend_registry/plugin.h"

#define OWN_INTERFACE "test.counter/1"

typedef struct own_counter {
  uint32_t struct_size;
  uint32_t flags;
  int (*next)(bkr_backend *);
} own_counter;

/* What bkr_provide() is given as user: what the functions saw. */
typedef struct own_record {
  int created;
  int initialised;
  int destroyed;
  bkr_create_args args; /* of the last create; its pointers hold only during the call */
  char family[32];
  char name[64];
  char path[256];
  char option[64];
} own_record;

extern const bkr_backend_api own_api;
bkr_status BKR_CALL own_create(const bkr_create_args *args, bkr_backend **backend, bkr_error *error);

#endif /* BKR_TESTS_API_C_OWN_BACKEND_H */
