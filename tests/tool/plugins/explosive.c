/* SPDX-License-Identifier: Apache-2.0 */
/* Kills the process as soon as any of its code runs (L9). */
#include <backend_registry/plugin.h>
#include <stdlib.h>

__attribute__((constructor)) static void explode(void) { abort(); }

bkr_status BKR_CALL create_backend(const bkr_create_args *args, bkr_backend **backend, bkr_error *error) {
  (void)args, (void)backend, (void)error;
  return BKR_CREATE_FAILED;
}

BKR_PLUGIN("org.example.explosive", "1",
           BKR_BACKEND("attention", "EXPLOSIVE", "example.tool.Explosive", create_backend, "", "", 0));
