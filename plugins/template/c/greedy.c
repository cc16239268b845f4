/* SPDX-License-Identifier: Apache-2.0 */
#include <backend_registry/plugin.h>
#include <stdlib.h>
#include <string.h>

/* A family of the host's own, "sampler", and the table that both sides agree on. */
typedef struct sampler_1 {
  uint32_t struct_size, flags;
  uint32_t (*pick)(bkr_backend *backend, const float *logits, uint32_t count);
} sampler_1;

static uint32_t pick(bkr_backend *backend, const float *logits, uint32_t count) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < count; ++i) {
    if (logits[i] > logits[best]) best = i;
  }
  return best;
}
static const sampler_1 sampler = {sizeof(sampler_1), 0, pick};

static const char *name(const bkr_backend *backend) { return "GREEDY"; }
static bkr_status get_interface(bkr_backend *backend, const char *id, const void **table, bkr_error *error) {
  if (strcmp(id, "example.sampler/1") != 0) return BKR_UNSUPPORTED;
  *table = &sampler;
  return BKR_OK;
}
static void destroy(bkr_backend *backend) { free(backend); }
static const bkr_backend_api api = {sizeof(bkr_backend_api), 0, name, NULL, NULL, get_interface, destroy};

bkr_status create_backend(const bkr_create_args *args, bkr_backend **backend, bkr_error *error) {
  bkr_backend *made = calloc(1, sizeof(bkr_backend));
  if (made == NULL) return BKR_OUT_OF_MEMORY;
  made->api = &api;
  *backend = made;
  return BKR_OK;
}

BKR_PLUGIN("org.example.greedy", "0.1.0",
           BKR_BACKEND("sampler", "GREEDY", "org.example.Greedy", create_backend, "example.sampler/1", "", 0));
