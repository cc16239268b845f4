/* SPDX-License-Identifier: Apache-2.0 */
/* A program with a descriptor is a program all the same. */
#include <backend_registry/plugin.h>

bkr_status BKR_CALL create_backend(const bkr_create_args *args, bkr_backend **backend, bkr_error *error) {
  (void)args;
  (void)backend;
  (void)error;
  return BKR_UNSUPPORTED;
}

BKR_PLUGIN("test.program", "1", BKR_BACKEND("attention", "PROGRAM", "test.p.Program", create_backend, "", "", 0));

int main(void) { return 0; }
