/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <backend_registry/services/registry.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe.h"

/* The plugin that most of these tests use. What it is made of is decided when it is built:
 *
 *   LOADING_UNDESCRIBED   no descriptor            LOADING_SEVERAL   more than one record
 *   LOADING_NO_CREATE     no create_backend        LOADING_AT_LOAD   a statement for its constructor
 *   LOADING_CALLS         a function of another library, called by code()
 *
 * What it does is decided by the test, with the option "create" (see create_backend). */

static const volatile char code_text[] = LOADING_CODE;

#if defined(LOADING_CALLS)
extern int LOADING_CALLS(void);
#endif

static const char *code(void) {
#if defined(LOADING_CALLS)
  if (LOADING_CALLS() == 0) return "nothing";
#endif
  return (const char *)code_text;
}

static const char *file(void) {
  Dl_info info;
  return dladdr((const void *)code_text, &info) ? info.dli_fname : "";
}

__attribute__((constructor)) static void at_load(void) {
  if (loading_code_runs) loading_code_runs(file());
#if defined(LOADING_AT_LOAD)
  LOADING_AT_LOAD;
#endif
}

__attribute__((destructor)) static void at_unload(void) {
  if (loading_code_ends) loading_code_ends(file());
}

typedef struct own_backend {
  bkr_backend head;
  char name[128];
  char family[64];
  char path[4096];
  const bkr_registry_service_1 *registry;
  bkr_backend *inner;
} own_backend;

static const char *name_of(const bkr_backend *backend) { return ((const own_backend *)backend)->name; }
static const char *family_of(const bkr_backend *backend) { return ((const own_backend *)backend)->family; }
static const char *path_of(const bkr_backend *backend) { return ((const own_backend *)backend)->path; }

static bkr_status BKR_CALL get_interface(bkr_backend *backend, const char *id, const void **table, bkr_error *error) {
  static const loading_probe probe = {sizeof(loading_probe), 0, code, file, family_of, path_of};
  (void)backend;
  (void)error;
  if (strcmp(id, LOADING_PROBE) != 0) return BKR_UNSUPPORTED;
  *table = &probe;
  return BKR_OK;
}

static void BKR_CALL destroy(bkr_backend *backend) {
  own_backend *own = (own_backend *)backend;
  if (own->inner) own->registry->destroy(own->inner);
  free(own);
}

static void BKR_CALL keep(bkr_backend *backend) { (void)backend; }

static const bkr_backend_api api = {sizeof(bkr_backend_api), 0, name_of, NULL, NULL, get_interface, destroy};

static int broken(const char *how, bkr_backend **backend) {
  static const bkr_backend_api short_table = {8, 0, name_of, NULL, NULL, get_interface, keep};
  static const bkr_backend_api no_name = {sizeof(bkr_backend_api), 0, NULL, NULL, NULL, get_interface, keep};
  static const bkr_backend_api no_get_interface = {sizeof(bkr_backend_api), 0, name_of, NULL, NULL, NULL, keep};
  static const bkr_backend_api no_destroy = {sizeof(bkr_backend_api), 0, name_of, NULL, NULL, get_interface, NULL};
  static struct {
    const char *how;
    bkr_backend backend;
  } kinds[] = {{"no api", {NULL, NULL}},
               {"short table", {&short_table, NULL}},
               {"no name", {&no_name, NULL}},
               {"no get_interface", {&no_get_interface, NULL}},
               {"no destroy", {&no_destroy, NULL}},
               {"in use", {&api, (void *)&kinds}}};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
    if (strcmp(how, kinds[i].how) == 0) {
      *backend = &kinds[i].backend;
      return 1;
    }
  }
  return 0;
}

static void *never_ends(void *unused) {
  (void)unused;
  for (;;) usleep(1000);
  return NULL;
}

static void say(bkr_error *error, const char *text) {
  if (error && error->msg_cap > 0) snprintf(error->msg, error->msg_cap, "%s", text);
}

static bkr_status ask_for(const bkr_create_args *args, const char *name, own_backend *own, bkr_error *error) {
  const void *table = NULL;
  bkr_member *member = NULL;
  bkr_factory *factory = NULL;
  bkr_status status = args->host_api->get_service(args->host, BKR_REGISTRY_SERVICE_1, &table, error);
  if (status != BKR_OK) return status;
  own->registry = (const bkr_registry_service_1 *)table;
  status = own->registry->find(args->host, "attention", name, &member, error);
  if (status == BKR_OK) status = own->registry->load(member, &factory, error);
  if (status == BKR_OK) status = own->registry->create(factory, NULL, 0, &own->inner, error);
  return status;
}

#if defined(LOADING_NO_CREATE)
#define CREATE make_backend /* which nobody outside can see */
#else
#define CREATE create_backend
#endif
bkr_status BKR_CALL CREATE(const bkr_create_args *args, bkr_backend **backend, bkr_error *error);

/* The option "create" says what to do instead of what is right. */
bkr_status BKR_CALL CREATE(const bkr_create_args *args, bkr_backend **backend, bkr_error *error) {
  const char *how = "";
  for (uint32_t i = 0; i < args->option_count; ++i) {
    if (strcmp(args->options[i].key, "create") == 0) how = args->options[i].value;
  }
  if (strcmp(how, "null") == 0 || broken(how, backend)) return BKR_OK;
  if (strcmp(how, "refuse") == 0) {
    say(error, "the moon is in the wrong phase");
    return BKR_UNSUPPORTED;
  }
  if (strcmp(how, "refuse without a text") == 0) return BKR_CREATE_FAILED;
  if (strcmp(how, "unknown status") == 0) return 4711;
  if (strcmp(how, "text without an end") == 0) {
    if (error) memset(error->msg, 'x', error->msg_cap);
    return BKR_CREATE_FAILED;
  }
  own_backend *own = (own_backend *)calloc(1, sizeof *own);
  if (!own) return BKR_OUT_OF_MEMORY;
  own->head.api = &api;
  snprintf(own->name, sizeof own->name, "%s", args->backend_name);
  snprintf(own->family, sizeof own->family, "%s", args->family);
  snprintf(own->path, sizeof own->path, "%s", args->path);
  bkr_status status = BKR_OK;
  if (strncmp(how, "ask for ", 8) == 0) status = ask_for(args, how + 8, own, error);
  if (strncmp(how, "service ", 8) == 0) {
    const void *table = NULL;
    status = args->host_api->get_service(args->host, how + 8, &table, error);
  }
  pthread_t thread;
  if (strcmp(how, "thread") == 0) {
    if (pthread_create(&thread, NULL, never_ends, NULL) != 0 || pthread_detach(thread) != 0) status = BKR_INTERNAL;
  }
  if (status != BKR_OK) {
    free(own);
    return status;
  }
  *backend = &own->head;
  return BKR_OK;
}

#if !defined(LOADING_NO_CREATE)
BKR_EXPORT bkr_status BKR_CALL create_other(const bkr_create_args *args, bkr_backend **backend, bkr_error *error);
bkr_status BKR_CALL create_other(const bkr_create_args *args, bkr_backend **backend, bkr_error *error) {
  return create_backend(args, backend, error);
}

#endif

#if defined(LOADING_SEVERAL)
BKR_PLUGIN("test.several", "1.0",
           BKR_BACKEND("attention", "FLASH_ATTN", "vllm.v1.attention.backends.flash_attn.FlashAttentionBackend",
                       create_backend, LOADING_PROBE, "", 0),
           BKR_BACKEND("mla_prefill", "FLASH_ATTN",
                       "vllm.v1.attention.backends.mla.prefill.flash_attn.FlashAttnPrefillBackend", create_backend,
                       LOADING_PROBE, "", 0),
           BKR_BACKEND("attention", "SECOND", "test.several.Second", create_backend, LOADING_PROBE, "", 0),
           BKR_BACKEND("attention", "OTHER", "test.several.Other", create_other, LOADING_PROBE, "", 0));
#elif !defined(LOADING_UNDESCRIBED)
BKR_PLUGIN("test.good", "1.0",
           BKR_BACKEND("attention", "GOOD", "test.good.Backend", create_backend, LOADING_PROBE, "", 0));
#endif
