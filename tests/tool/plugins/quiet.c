/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin that does nothing but exist: QUIET, a name that the library never heard of, for any CPU and for one that
 * nobody has; and CUSTOM of mamba, a name that is taken. */
#include <backend_registry/plugin.h>
#include <stdlib.h>

static const char *BKR_CALL name(const bkr_backend *backend) {
  (void)backend;
  return "quiet";
}

static bkr_status BKR_CALL get_interface(bkr_backend *backend, const char *id, const void **table, bkr_error *error) {
  (void)backend, (void)id, (void)table, (void)error;
  return BKR_UNSUPPORTED;
}

static void BKR_CALL destroy(bkr_backend *backend) { free(backend); }

static const bkr_backend_api api = {sizeof(bkr_backend_api), 0, name, NULL, NULL, get_interface, destroy};

bkr_status BKR_CALL create_backend(const bkr_create_args *args, bkr_backend **backend, bkr_error *error) {
  (void)args, (void)error;
  bkr_backend *made = calloc(1, sizeof(*made));
  if (made == NULL) return BKR_OUT_OF_MEMORY;
  made->api = &api;
  *backend = made;
  return BKR_OK;
}

BKR_PLUGIN("org.example.quiet", "0.1.2",
           BKR_BACKEND("attention", "QUIET", "example.tool.Quiet", create_backend, "bkr.attention/1", "no-such-cpu", 0),
           BKR_BACKEND("attention", "QUIET", "example.tool.Quiet", create_backend, "bkr.attention/1", "", 0),
           BKR_BACKEND("mamba", "CUSTOM", "example.tool.Loud", create_backend, "", "", 7));
