/* SPDX-License-Identifier: Apache-2.0 */
/* A library that a plugin needs. LOADING_DEFINES: its one function; LOADING_CALLS: a function of a further library;
 * LOADING_CREATES: it also has a create_backend. */
#include <backend_registry/plugin.h>

#if defined(LOADING_CALLS)
extern int LOADING_CALLS(void);
#endif

BKR_EXPORT int LOADING_DEFINES(void);
int LOADING_DEFINES(void) {
#if defined(LOADING_CALLS)
  return LOADING_CALLS();
#else
  return 1;
#endif
}

#if defined(LOADING_CREATES)
bkr_status BKR_CALL create_backend(const bkr_create_args *args, bkr_backend **backend, bkr_error *error) {
  (void)args;
  (void)backend;
  (void)error;
  return BKR_INTERNAL;
}
#endif
