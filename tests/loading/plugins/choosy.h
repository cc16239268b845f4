/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BKR_TESTS_LOADING_CHOOSY_H
#define BKR_TESTS_LOADING_CHOOSY_H

#include <backend_registry/plugin.h>

BKR_EXTERN_C_BEGIN

/* A call into plugins/choosy.cpp. */
typedef struct choosy_call {
  const char *function; /* "create", "validate", "name" or "destroy" */
  const char *name;     /* the record's name */
  const bkr_option *facts;
  uint32_t count;
  bkr_reason_fn emit;
  void *user;
  bkr_error *error;
  const char *own_name; /* out, for "name" */
} choosy_call;

/* In the test program, if it has one: does what the plugin is to do. It may throw. */
extern __attribute__((weak, visibility("default"))) bkr_status choosy_does(choosy_call *call);

BKR_EXTERN_C_END

#endif /* BKR_TESTS_LOADING_CHOOSY_H */
