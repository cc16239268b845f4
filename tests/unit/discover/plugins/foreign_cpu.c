/* SPDX-License-Identifier: Apache-2.0 */
#include <backend_registry/plugin.h>

bkr_status BKR_CALL create_backend(const bkr_create_args *args, bkr_backend **backend, bkr_error *error) {
  (void)args;
  (void)backend;
  (void)error;
  return BKR_UNSUPPORTED;
}

BKR_PLUGIN("test.foreign_cpu", "1",
           BKR_BACKEND("attention", "FAR", "test.far.Backend", create_backend, "", "x86-64-v99", 0));
