/* SPDX-License-Identifier: Apache-2.0 */
/* The plugin that most probes load: ours, and for those that open any library and ask it for a symbol. Each copy of the
 * file gets a number in place of 0000, so that a thousand copies are a thousand members. */
#include <backend_registry/plugin.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

typedef struct plain {
  bkr_backend head;
  uint32_t sum;
} plain;

static uint32_t add(bkr_backend *backend, uint32_t number) { return ((plain *)backend)->sum += number; }
static const rivals_table table = {sizeof(rivals_table), 0, add};

static const char *name(const bkr_backend *backend) {
  (void)backend;
  return "RIVAL_0000";
}
static bkr_status get_interface(bkr_backend *backend, const char *id, const void **found, bkr_error *error) {
  (void)backend;
  (void)error;
  if (strcmp(id, RIVALS_TABLE) != 0) return BKR_UNSUPPORTED;
  *found = &table;
  return BKR_OK;
}
static void destroy(bkr_backend *backend) { free(backend); }
static const bkr_backend_api api = {sizeof(bkr_backend_api), 0, name, NULL, NULL, get_interface, destroy};

bkr_status create_backend(const bkr_create_args *args, bkr_backend **backend, bkr_error *error) {
  plain *made = calloc(1, sizeof(plain));
  (void)args;
  (void)error;
  if (made == NULL) return BKR_OUT_OF_MEMORY;
  made->head.api = &api;
  *backend = &made->head;
  return BKR_OK;
}

BKR_PLUGIN("org.example.RIVAL_0000", "1.0.0",
           BKR_BACKEND("attention", "RIVAL_0000", "example.RIVAL_0000", create_backend, RIVALS_TABLE, "", 0));
