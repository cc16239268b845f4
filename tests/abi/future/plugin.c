/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin of a version that is not there yet: version 1's headers, and by hand what a later one may add. What it is is
 * decided when it is built:
 *
 *   FUTURE_MAJOR, FUTURE_MINOR_MIN   the plugin ABI it was built for, and the least minor number that it needs
 *   FUTURE_NAME                      the member of its first record
 *   FUTURE_OTHER_RECORDS             records that are nothing like version 1's
 *   FUTURE_IS_REFUSED                its code must not run: it would end the process */

#include "backend_registry/plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/v1/seen.h"
#include "future.h"

#if defined(FUTURE_IS_REFUSED)
__attribute__((constructor)) static void at_load(void) { abort(); }
#endif

/* ---- tables that have grown ---- */

typedef struct future_api {
  bkr_backend_api known;
  bkr_status(BKR_CALL *warm_up)(bkr_backend *backend, bkr_error *error);
  void(BKR_CALL *cool_down)(bkr_backend *backend);
} future_api;

typedef struct future_host_api {
  bkr_host_api known;
  void(BKR_CALL *later)(const bkr_host *host);
} future_host_api;

typedef struct future_create_args {
  bkr_create_args known;
  const char *later;
} future_create_args;

typedef struct own_backend {
  bkr_backend head;
  abi_seen seen;
} own_backend;

static const future_table kernels = {sizeof(future_table), 0, FUTURE_ANSWER};

static const char *BKR_CALL name(const bkr_backend *backend) { return ((const own_backend *)backend)->seen.name; }

static bkr_status BKR_CALL init(bkr_backend *backend, const bkr_device *device, bkr_error *error) {
  (void)error;
  ((own_backend *)backend)->seen.device_type = device->device_type;
  return BKR_OK;
}

static bkr_status BKR_CALL get_interface(bkr_backend *backend, const char *id, const void **table, bkr_error *error) {
  (void)error;
  if (strcmp(id, ABI_SEEN) == 0) {
    *table = &((own_backend *)backend)->seen;
  } else if (strcmp(id, FUTURE_INTERFACE) == 0) {
    *table = &kernels;
  } else {
    return BKR_UNSUPPORTED;
  }
  return BKR_OK;
}

static void BKR_CALL destroy(bkr_backend *backend) { free(backend); }

/* Nobody who does not know them calls them. */
static bkr_status BKR_CALL warm_up(bkr_backend *backend, bkr_error *error) {
  (void)backend;
  (void)error;
  abort();
}
static void BKR_CALL cool_down(bkr_backend *backend) {
  (void)backend;
  abort();
}

static const future_api api = {
    {sizeof(future_api), BKR_BACKEND_CONCURRENT | 1u << 31, name, NULL, init, get_interface, destroy},
    warm_up,
    cool_down};

bkr_status BKR_CALL create_backend(const bkr_create_args *args, bkr_backend **backend, bkr_error *error) {
  own_backend *made = (own_backend *)calloc(1, sizeof(own_backend));
  const void *table = NULL;
  (void)error;
  if (made == NULL) return BKR_OUT_OF_MEMORY;
  made->head.api = &api.known;
  /* Today's registry has neither what is behind these tables nor the service; a plugin does without. */
  made->seen.args_size = args->struct_size < sizeof(future_create_args) ? args->struct_size : 0;
  made->seen.host_abi_version = args->host_api->struct_size < sizeof(future_host_api) ? args->host_api->abi_version : 0;
  made->seen.unknown = args->host_api->get_service(args->host, FUTURE_SERVICE, &table, NULL);
  snprintf(made->seen.name, sizeof(made->seen.name), "%s", args->backend_name);
  *backend = &made->head;
  return BKR_OK;
}

/* ---- a descriptor that has grown: longer header, longer records, and bytes of `zero` that mean something ---- */

typedef struct future_header {
  bkr_descriptor_header known;
  char later[64];
} future_header;

typedef struct future_record {
  bkr_descriptor_record known;
  char later[128];
} future_record;

struct future_descriptor {
  uint32_t owner_size, content_size, type; /* of the ELF note */
  char owner[4];
  future_header header;
  future_record records[2];
};

#if defined(FUTURE_OTHER_RECORDS)
/* Two bytes with a meaning of their own in each place where version 1 has an identifier. */
#define RECORD(name, path, cpu_level) \
  { {"\1\2", "\1\2", path, "\1\2", "", "", 0, 0, {0}}, "" }
#else
#define RECORD(name, path, cpu_level) \
  { {"attention", name, path, "create_backend", FUTURE_INTERFACE, cpu_level, 0, 1u << 31, {1}}, "later text" }
#endif

BKR_DETAIL_PLACE static const struct future_descriptor descriptor = {
    sizeof(BKR_DESCRIPTOR_NOTE_OWNER),
    sizeof(future_header) + 2 * sizeof(future_record),
    BKR_DESCRIPTOR_NOTE_TYPE,
    BKR_DESCRIPTOR_NOTE_OWNER,
    {{BKR_DESCRIPTOR_MAGIC,
      sizeof(future_header),
      sizeof(future_record),
      2,
      sizeof(future_header) + 2 * sizeof(future_record),
      FUTURE_MAJOR,
      FUTURE_MINOR_MIN,
      FUTURE_MINOR,
      BKR_DESCRIPTOR_FORMAT + 1,
      1u << 31,
      "test.abi.future",
      "9",
      {1}},
     "later text"},
    {RECORD(FUTURE_NAME, "test.abi." FUTURE_NAME, ""),
     RECORD("ABI_QUANTUM", "test.abi.Quantum", FUTURE_CPU_WORD ",x86-64")}};
