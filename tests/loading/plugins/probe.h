/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BKR_TESTS_LOADING_PROBE_H
#define BKR_TESTS_LOADING_PROBE_H

/* What the plugins of these tests and the tests themselves have in common. */

#include <backend_registry/plugin.h>

BKR_EXTERN_C_BEGIN

/* The interface of every backend: tells which code made it, and what that code was told. */
#define LOADING_PROBE "test.probe/1"
typedef struct loading_probe {
  uint32_t struct_size;
  uint32_t flags;
  const char *(*code)(void); /* a text in the library's own code; the tests put another one into a copy */
  const char *(*file)(void); /* where the system's loader thinks that this code lies */
  const char *(*family)(const bkr_backend *backend);
  const char *(*path)(const bkr_backend *backend);
} loading_probe;

/* What LOADING_PROBE's code() gives in a plugin that nobody changed; a copy's text may be as long as this. */
#define LOADING_CODE "code as it was built"

/* In the test program, if it has one: called by a plugin's constructor with the plugin's file. */
extern __attribute__((weak, visibility("default"))) void loading_code_runs(const char *file);

/* The same for its destructor, which also runs at the end of the process. */
extern __attribute__((weak, visibility("default"))) void loading_code_ends(const char *file);

BKR_EXTERN_C_END

#endif /* BKR_TESTS_LOADING_PROBE_H */
