/* SPDX-License-Identifier: Apache-2.0 */
#include <backend_registry/interfaces/attention.h>
#include <backend_registry/registry.h>
#include <stdio.h>

int main(void) {
  char text[4096];
  bkr_error error = BKR_ERROR_INIT(text);
  bkr_registry *registry = NULL;
  bkr_backend *backend = NULL;
  const void *attention = NULL;

  bkr_status status = bkr_registry_open(NULL, &registry, &error);
  if (status == BKR_OK) status = bkr_backend_open(registry, "attention", "CPU_ATTN", NULL, 0, &backend, &error);
  if (status == BKR_OK) status = bkr_backend_get_interface(backend, BKR_ATTENTION_1, &attention, &error);
  if (status == BKR_OK) {
    printf("%s is ready, its kernels are in the table %s\n", bkr_backend_name(backend), BKR_ATTENTION_1);
  } else {
    fprintf(stderr, "%s: %s\n", bkr_status_name(status), text);
  }
  bkr_backend_destroy(backend);
  bkr_registry_close(registry);
  return status == BKR_OK ? 0 : 1;
}
