/* SPDX-License-Identifier: Apache-2.0 */
#include <backend_registry/plugin.h>

bkr_status BKR_CALL create_backend(const bkr_create_args *args, bkr_backend **backend, bkr_error *error) {
  (void)args;
  (void)backend;
  (void)error;
  return BKR_UNSUPPORTED;
}
