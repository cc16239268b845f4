/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin of version 1, which uses all that plugin.h of version 1 has. As a plugin that nobody builds anew, it is
 * compiled against the frozen headers; it must load for as long as the ABI's major number stands. */

#include "backend_registry/plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_registry/interfaces/attention.h"
#include "backend_registry/services/registry.h"
#include "seen.h"

typedef struct own_backend {
  bkr_backend head;
  abi_seen seen;
  const bkr_registry_service_1 *registry;
  bkr_backend *inner;
} own_backend;

static void say(bkr_error *error, const char *text) {
  if (error != NULL && error->msg != NULL && error->msg_cap > 0) snprintf(error->msg, error->msg_cap, "%s", text);
}

/* ---- bkr.attention/1: one function that does something ---- */

static bkr_status BKR_CALL kv_cache_shape(bkr_backend *backend, const bkr_attention_kv_cache_params *params,
                                          void *stream, bkr_error *error) {
  (void)backend;
  (void)stream;
  if (params->struct_size < sizeof(bkr_attention_kv_cache_params)) {
    say(error, "params.struct_size is below version 1's");
    return BKR_INVALID_ARGUMENT;
  }
  params->shape[0] = params->num_blocks;
  params->shape[1] = params->block_size;
  params->shape[2] = params->head_size;
  *params->ndim = 3;
  return BKR_OK;
}

static bkr_status BKR_CALL write_kv(bkr_backend *backend, const bkr_attention_write_kv_params *params, void *stream,
                                    bkr_error *error) {
  (void)backend;
  (void)params;
  (void)stream;
  say(error, "this plugin has no write_kv");
  return BKR_UNSUPPORTED;
}

static bkr_status BKR_CALL forward(bkr_backend *backend, const bkr_attention_forward_params *params, void *stream,
                                   bkr_error *error) {
  (void)backend;
  (void)params;
  (void)stream;
  say(error, "this plugin has no forward");
  return BKR_UNSUPPORTED;
}

static const bkr_attention_1 attention = {sizeof(bkr_attention_1), 0, kv_cache_shape, write_kv, forward};

/* ---- the backend ---- */

static const char *BKR_CALL name(const bkr_backend *backend) { return ((const own_backend *)backend)->seen.name; }

static bkr_status BKR_CALL validate(bkr_backend *backend, const bkr_option *facts, uint32_t count, bkr_reason_fn emit,
                                    void *user, bkr_error *error) {
  (void)backend;
  (void)error;
  for (uint32_t i = 0; i < count; ++i) {
    char reason[128];
    if (strcmp(facts[i].key, "head_size") == 0) continue;
    snprintf(reason, sizeof(reason), "unknown requirement %s=%s", facts[i].key, facts[i].value);
    emit(user, reason);
  }
  return BKR_OK;
}

static bkr_status BKR_CALL init(bkr_backend *backend, const bkr_device *device, bkr_error *error) {
  own_backend *own = (own_backend *)backend;
  (void)error;
  own->seen.device_type = device->device_type;
  own->seen.device_id = device->device_id;
  return BKR_OK;
}

static bkr_status BKR_CALL get_interface(bkr_backend *backend, const char *id, const void **table, bkr_error *error) {
  if (strcmp(id, ABI_SEEN) == 0) {
    *table = &((own_backend *)backend)->seen;
  } else if (strcmp(id, BKR_ATTENTION_1) == 0) {
    *table = &attention;
  } else {
    say(error, "a plugin of version 1 has no such interface");
    return BKR_UNSUPPORTED;
  }
  return BKR_OK;
}

static void BKR_CALL destroy(bkr_backend *backend) {
  own_backend *own = (own_backend *)backend;
  if (own->inner != NULL) own->registry->destroy(own->inner);
  free(own);
}

static const bkr_backend_api api = {
    sizeof(bkr_backend_api), BKR_BACKEND_CONCURRENT, name, validate, init, get_interface, destroy};

/* ---- making it ---- */

static bkr_status wrap(own_backend *own, const bkr_create_args *args, const char *inner, bkr_error *error) {
  const void *table = NULL;
  bkr_member *member = NULL;
  bkr_factory *factory = NULL;
  bkr_status status = args->host_api->get_service(args->host, BKR_REGISTRY_SERVICE_1, &table, error);
  if (status != BKR_OK) return status;
  own->registry = (const bkr_registry_service_1 *)table;
  status = own->registry->find(args->host, args->family, inner, &member, error);
  if (status == BKR_OK) status = own->registry->load(member, &factory, error);
  if (status == BKR_OK) status = own->registry->create(factory, NULL, 0, &own->inner, error);
  if (status == BKR_OK) snprintf(own->seen.inner, sizeof(own->seen.inner), "%s", own->inner->api->name(own->inner));
  return status;
}

static void look_around(abi_seen *seen, const bkr_create_args *args) {
  const void *table = NULL;
  bkr_error error = BKR_ERROR_INIT(seen->unknown_id);
  seen->struct_size = sizeof(*seen);
  seen->args_size = args->struct_size;
  seen->args_abi_version = args->abi_version;
  seen->host_abi_version = args->host_api->abi_version;
  seen->option_count = args->option_count;
  if (args->option_count > 0) {
    snprintf(seen->option, sizeof(seen->option), "%s=%s", args->options[0].key, args->options[0].value);
  }
  snprintf(seen->family, sizeof(seen->family), "%s", args->family);
  snprintf(seen->name, sizeof(seen->name), "%s", args->backend_name);
  snprintf(seen->path, sizeof(seen->path), "%s", args->path);
  if (args->host_api->get_service(args->host, ABI_HOST_SERVICE, &table, NULL) == BKR_OK) {
    seen->host_answer = ((const abi_host_service *)table)->answer();
  }
  seen->unknown = args->host_api->get_service(args->host, "test.abi.nobody/9", &table, &error);
}

static bkr_status BKR_CALL make(const bkr_create_args *args, bkr_backend **backend, bkr_error *error) {
  static const char line[] = "a backend of version 1 is made";
  if (args->struct_size < sizeof(bkr_create_args) || args->host_api->struct_size < sizeof(bkr_host_api)) {
    say(error, "a plugin of version 1 is given less than version 1 has");
    return BKR_INVALID_ARGUMENT;
  }
  own_backend *own = (own_backend *)calloc(1, sizeof(own_backend));
  if (own == NULL) return BKR_OUT_OF_MEMORY;
  own->head.api = &api;
  look_around(&own->seen, args);
  args->host_api->log(args->host, BKR_LOG_WARN, line, sizeof(line) - 1);
  for (uint32_t i = 0; i < args->option_count; ++i) {
    if (strcmp(args->options[i].key, "inner") != 0) continue;
    const bkr_status status = wrap(own, args, args->options[i].value, error);
    if (status == BKR_OK) continue;
    free(own);
    return status;
  }
  *backend = &own->head;
  return BKR_OK;
}

bkr_status BKR_CALL create_backend(const bkr_create_args *args, bkr_backend **backend, bkr_error *error) {
  return make(args, backend, error);
}

BKR_EXPORT bkr_status BKR_CALL create_inner(const bkr_create_args *args, bkr_backend **backend, bkr_error *error);
bkr_status BKR_CALL create_inner(const bkr_create_args *args, bkr_backend **backend, bkr_error *error) {
  return make(args, backend, error);
}

BKR_PLUGIN("test.abi.v1", "1.0.0",
           BKR_BACKEND("attention", "ABI_OUTER", "test.abi.Outer", create_backend, BKR_ATTENTION_1, "", 0),
           BKR_BACKEND("attention", "ABI_INNER", "test.abi.Inner", create_inner, ABI_SEEN, "", -1));
