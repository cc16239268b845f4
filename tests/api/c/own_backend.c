/* SPDX-License-Identifier: Apache-2.0 */
#include "own_backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct own_backend {
  bkr_backend head;
  own_record *record;
  int count;
} own_backend;

static int counter_next(bkr_backend *backend) { return ++((own_backend *)backend)->count; }

static const own_counter counter = {sizeof(own_counter), 0, counter_next};

static const char *BKR_CALL own_name(const bkr_backend *backend) {
  (void)backend;
  return "OWN";
}

static bkr_status BKR_CALL own_validate(bkr_backend *backend, const bkr_option *facts, uint32_t count,
                                        bkr_reason_fn emit, void *user, bkr_error *error) {
  uint32_t i;
  char reason[128];
  (void)backend;
  (void)error;
  for (i = 0; i < count; ++i) {
    if (strcmp(facts[i].key, "head_size") == 0) continue;
    snprintf(reason, sizeof(reason), "unknown requirement %s=%s", facts[i].key, facts[i].value);
    emit(user, reason);
  }
  return BKR_OK;
}

static bkr_status BKR_CALL own_init(bkr_backend *backend, const bkr_device *device, bkr_error *error) {
  (void)device;
  (void)error;
  ++((own_backend *)backend)->record->initialised;
  return BKR_OK;
}

static bkr_status BKR_CALL own_get_interface(bkr_backend *backend, const char *id, const void **table,
                                             bkr_error *error) {
  (void)backend;
  (void)error;
  if (strcmp(id, OWN_INTERFACE) != 0) return BKR_UNSUPPORTED;
  *table = &counter;
  return BKR_OK;
}

static void BKR_CALL own_destroy(bkr_backend *backend) {
  ++((own_backend *)backend)->record->destroyed;
  free(backend);
}

const bkr_backend_api own_api = {sizeof(bkr_backend_api), 0,          own_name, own_validate, own_init,
                                 own_get_interface,       own_destroy};

bkr_status BKR_CALL own_create(const bkr_create_args *args, bkr_backend **backend, bkr_error *error) {
  own_record *record = (own_record *)args->user;
  own_backend *made = (own_backend *)calloc(1, sizeof(own_backend));
  (void)error;
  if (made == NULL) return BKR_OUT_OF_MEMORY;
  ++record->created;
  record->args = *args;
  snprintf(record->family, sizeof(record->family), "%s", args->family);
  snprintf(record->name, sizeof(record->name), "%s", args->backend_name);
  snprintf(record->path, sizeof(record->path), "%s", args->path);
  if (args->option_count > 0) {
    snprintf(record->option, sizeof(record->option), "%s=%s", args->options[0].key, args->options[0].value);
  }
  made->head.api = &own_api;
  made->record = record;
  *backend = &made->head;
  return BKR_OK;
}
