/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BKR_TESTS_API_C_CHECK_H
#define BKR_TESTS_API_C_CHECK_H

/* What a test program in plain C needs: each CHECK that does not hold is printed and counted, and
 * `return check_result();` ends main. */

#include <stdio.h>
#include <string.h>

#include "backend_registry/registry.h"

static int check_failures = 0;

static inline void check_failed(const char *file, int line, const char *what) {
  printf("%s:%d: %s\n", file, line, what);
  ++check_failures;
}

static inline int check_result(void) {
  printf(check_failures == 0 ? "all checks hold\n" : "%d checks do not hold\n", check_failures);
  return check_failures == 0 ? 0 : 1;
}

static inline void check_status(const char *file, int line, const char *call, bkr_status expected, bkr_status got) {
  if (expected == got) return;
  printf("%s:%d: %s: %s, not %s\n", file, line, call, bkr_status_name(got), bkr_status_name(expected));
  ++check_failures;
}

#define CHECK(condition) ((condition) ? (void)0 : check_failed(__FILE__, __LINE__, #condition))
#define CHECK_STATUS(expected, call) check_status(__FILE__, __LINE__, #call, expected, call)
#define CHECK_TEXT(expected, text) CHECK((text) != NULL && strcmp(expected, text) == 0)

/* A registry that nothing on this machine has an influence on. */
static inline bkr_registry *open_alone(void) {
  bkr_config config = {0};
  bkr_registry *registry = NULL;
  char text[512];
  bkr_error error = BKR_ERROR_INIT(text);
  config.struct_size = sizeof(config);
  config.flags = BKR_CONFIG_NO_ENVIRONMENT | BKR_CONFIG_NO_DEFAULT_DIRS;
  config.log_level = BKR_LOG_OFF;
  if (bkr_registry_open(&config, &registry, &error) != BKR_OK) check_failed(__FILE__, __LINE__, text);
  return registry;
}

#endif /* BKR_TESTS_API_C_CHECK_H */
