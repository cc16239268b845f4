/* SPDX-License-Identifier: Apache-2.0 */
#include <backend_registry/plugin.h>

/* Two backends, one of them in a variant that no CPU has. Never loaded by these tests: they read it. */

bkr_status BKR_CALL create_backend(const bkr_create_args *args, bkr_backend **backend, bkr_error *error) {
  (void)args;
  (void)backend;
  (void)error;
  return BKR_UNSUPPORTED;
}

BKR_EXPORT bkr_status BKR_CALL create_special(const bkr_create_args *args, bkr_backend **backend, bkr_error *error);
bkr_status BKR_CALL create_special(const bkr_create_args *args, bkr_backend **backend, bkr_error *error) {
  return create_backend(args, backend, error);
}

BKR_PLUGIN("test.good", "1.2.3",
           BKR_BACKEND("attention", "GOOD", "test.good.GoodBackend", create_backend, "bkr.attention/1", "", 7),
           BKR_BACKEND("mamba", "SPECIAL", "test.good.Special", create_special, "", "x86-64-v9,no-such-word", -3));
