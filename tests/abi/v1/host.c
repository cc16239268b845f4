/* SPDX-License-Identifier: Apache-2.0 */
/* A host of version 1, which goes the whole way through registry.h of version 1. As an engine that nobody builds anew,
 * it is compiled against the frozen headers, and runs with today's library:
 *
 *   host <directory with plugin.c, built>
 *
 * It asks for nothing that a later version may answer differently. */

#include <stdlib.h>

#include "api/c/check.h"
#include "backend_registry/backend_registry.h"
#include "backend_registry/interfaces/attention.h"
#include "seen.h"

#define VLLM_FLASH "vllm.v1.attention.backends.flash_attn.FlashAttentionBackend"

static char text[4096];
static bkr_error error = BKR_ERROR_INIT(text);
static int log_lines = 0;

static void BKR_CALL on_log(void *user, int32_t level, const char *line, size_t len) {
  (void)line;
  CHECK(user == &log_lines);
  CHECK(level >= BKR_LOG_TRACE && level < BKR_LOG_OFF && len > 0);
  ++log_lines;
}

static int32_t answer(void) { return 42; }

static bkr_registry *open_in(const char *dir) {
  static const abi_host_service own = {sizeof(own), 0, answer};
  const bkr_service services[] = {{ABI_HOST_SERVICE, &own}};
  const uint32_t flags = BKR_CONFIG_NO_ENVIRONMENT | BKR_CONFIG_NO_DEFAULT_DIRS;
  const bkr_config config = {sizeof(config), flags, &dir, 1, BKR_LOG_WARN, on_log, &log_lines, services, 1, 0};
  bkr_registry *registry = NULL;
  CHECK_STATUS(BKR_OK, bkr_registry_open(&config, &registry, &error));
  if (registry == NULL) check_failed(__FILE__, __LINE__, text);
  return registry;
}

static void versions(void) {
  CHECK(bkr_abi_version() >> 16 == BKR_ABI_MAJOR);
  CHECK(bkr_abi_version() >= BKR_ABI_VERSION);
  CHECK_TEXT("BKR_STAYS_RESIDENT", bkr_status_name(BKR_STAYS_RESIDENT));
  CHECK(bkr_version()[0] == '1');
}

/* Every family and every member, by index. */
static void walk(bkr_registry *registry) {
  int found = 0;
  for (uint32_t f = 0; bkr_family_at(registry, f) != NULL; ++f) {
    bkr_family *family = bkr_family_at(registry, f);
    for (uint32_t m = 0; bkr_family_member_at(family, m) != NULL; ++m) {
      const bkr_member *member = bkr_family_member_at(family, m);
      CHECK(bkr_member_family(member) == family);
      CHECK(bkr_member_is_overridden(member) == 0);
      found += strcmp(bkr_member_name(member), "ABI_OUTER") == 0 || strcmp(bkr_member_name(member), "FLASH_ATTN") == 0;
    }
  }
  CHECK(found == 3); /* FLASH_ATTN is in two families */
}

static void errors(bkr_family *attention) {
  bkr_member *none = NULL;
  error.stage = 77;
  CHECK_STATUS(BKR_UNKNOWN_NAME, bkr_member_find(attention, "ABI_OUTR", &none, &error));
  CHECK(error.code == BKR_UNKNOWN_NAME && error.stage == BKR_STAGE_NONE && error.msg_len >= strlen(text));
  CHECK(strstr(text, "ABI_OUTER") != NULL);
}

/* A name of the engine's is pointed at the plugin, and back. */
static void override(bkr_registry *registry, bkr_member *flash) {
  const char *path = NULL;
  bkr_target target = {sizeof(target), 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
  const uint64_t before = bkr_registry_epoch(registry);
  CHECK_STATUS(BKR_OK, bkr_member_override(flash, "test.abi.Outer", &error));
  CHECK(bkr_registry_epoch(registry) > before);
  CHECK(bkr_member_is_overridden(flash) == 1 && bkr_member_override_source(flash) == BKR_OVERRIDE_API);
  CHECK_STATUS(BKR_OK, bkr_member_path(flash, &path, &error));
  CHECK_TEXT("test.abi.Outer", path);
  CHECK_STATUS(BKR_OK, bkr_member_module(flash, &path, &error));
  CHECK_TEXT("test.abi", path);
  CHECK_TEXT(VLLM_FLASH, bkr_member_default_path(flash));
  CHECK_STATUS(BKR_OK, bkr_member_resolve(flash, &target, &error));
  CHECK(target.struct_size == sizeof(target) && target.provider == BKR_PROVIDER_RECORD && target.file[0] == '/');
  CHECK_TEXT("create_backend", target.symbol);
  CHECK_TEXT("ABI_OUTER", target.backend_name);
  CHECK_TEXT("test.abi.v1", target.plugin_id);
  CHECK_TEXT(BKR_ATTENTION_1, target.interface_id);
}

static void BKR_CALL on_reason(void *user, const char *reason) {
  CHECK_TEXT("unknown requirement moon=full", reason);
  ++*(int *)user;
}

static void use(bkr_backend *backend) {
  const bkr_option facts[] = {{"head_size", "128"}, {"moon", "full"}};
  const bkr_device device = {sizeof(device), 1, 3, 0};
  const void *found = NULL;
  int reasons = 0;
  int64_t shape[BKR_KV_CACHE_MAX_DIMS] = {0};
  int32_t ndim = 0;
  const bkr_attention_kv_cache_params sizes = {sizeof(sizes), 0, 7, 16, 1, 64, 0, shape, &ndim};

  CHECK_TEXT("ABI_OUTER", bkr_backend_name(backend));
  CHECK_STATUS(BKR_OK, bkr_backend_validate(backend, facts, 2, on_reason, &reasons, &error));
  CHECK(reasons == 1);
  CHECK_STATUS(BKR_OK, bkr_backend_init(backend, &device, &error));
  CHECK_STATUS(BKR_WRONG_STATE, bkr_backend_init(backend, &device, &error));
  CHECK_STATUS(BKR_UNSUPPORTED, bkr_backend_get_interface(backend, "test.abi.nobody/9", &found, &error));
  CHECK(found == NULL && error.code == BKR_UNSUPPORTED && text[0] != '\0');
  CHECK_STATUS(BKR_OK, bkr_backend_get_interface(backend, BKR_ATTENTION_1, &found, &error));
  if (found != NULL) {
    const bkr_attention_1 *attention = (const bkr_attention_1 *)found;
    CHECK_STATUS(BKR_OK, attention->kv_cache_shape(backend, &sizes, NULL, &error));
    CHECK_STATUS(BKR_UNSUPPORTED, attention->write_kv(backend, NULL, NULL, &error));
  }
  CHECK(ndim == 3 && shape[0] == 7 && shape[1] == 16 && shape[2] == 64);
}

/* What the plugin was given, as it tells. */
static void what_it_saw(bkr_backend *backend) {
  const void *found = NULL;
  CHECK_STATUS(BKR_OK, bkr_backend_get_interface(backend, ABI_SEEN, &found, &error));
  if (found == NULL) return;
  const abi_seen *seen = (const abi_seen *)found;
  CHECK(seen->args_size >= sizeof(bkr_create_args));
  CHECK(seen->args_abi_version == bkr_abi_version() && seen->host_abi_version == bkr_abi_version());
  CHECK(seen->device_type == 1 && seen->device_id == 3);
  CHECK(seen->option_count == 1);
  CHECK_TEXT("inner=ABI_INNER", seen->option);
  CHECK_TEXT("attention", seen->family);
  CHECK_TEXT("ABI_OUTER", seen->name);
  CHECK_TEXT("test.abi.Outer", seen->path);
  CHECK_TEXT("ABI_INNER", seen->inner);
  CHECK(seen->host_answer == 42);
  CHECK(seen->unknown == BKR_UNSUPPORTED && strstr(seen->unknown_id, "test.abi.nobody/9") != NULL);
}

static void documents(bkr_registry *registry, const bkr_member *member) {
  size_t need = 0;
  CHECK_STATUS(BKR_OK, bkr_registry_report(registry, NULL, 0, &need, &error));
  char *buffer = (char *)calloc(1, need);
  CHECK_STATUS(BKR_OK, bkr_registry_report(registry, buffer, need, &need, &error));
  CHECK(buffer != NULL && strstr(buffer, "test.abi.v1") != NULL);
  free(buffer);
  CHECK_STATUS(BKR_OK, bkr_member_explain(member, NULL, 0, &need, &error));
  CHECK_STATUS(BKR_BUFFER_TOO_SMALL, bkr_member_explain(member, text, 1, &need, NULL));
}

int main(int argc, char **argv) {
  const bkr_option inner = {"inner", "ABI_INNER"};
  bkr_family *attention = NULL;
  bkr_member *flash = NULL;
  bkr_factory *factory = NULL;
  bkr_backend *backend = NULL;
  bkr_backend *second = NULL;
  bkr_registry *registry = open_in(argc > 1 ? argv[1] : ".");
  if (registry == NULL) return check_result();

  versions();
  walk(registry);
  CHECK_STATUS(BKR_OK, bkr_family_find(registry, "attention", &attention, &error));
  errors(attention);
  CHECK_STATUS(BKR_OK, bkr_member_find(attention, "FLASH_ATTN", &flash, &error));
  override(registry, flash);
  CHECK_STATUS(BKR_OK, bkr_member_load(flash, &factory, &error));
  CHECK_STATUS(BKR_OK, bkr_factory_create(factory, &inner, 1, &backend, &error));
  if (backend == NULL) return check_result();
  CHECK(log_lines >= 2); /* the plugin's, one for each backend */
  documents(registry, flash);
  use(backend);
  what_it_saw(backend);
  bkr_member_clear_override(flash);
  CHECK(bkr_member_override_source(flash) == BKR_OVERRIDE_NONE);
  CHECK_STATUS(BKR_OK, bkr_registry_rescan(registry, &error));
  CHECK_STATUS(BKR_OK, bkr_backend_open(registry, "attention", "ABI_INNER", NULL, 0, &second, &error));
  bkr_backend_destroy(second);

  /* A backend outlives its registry. */
  bkr_registry_close(registry);
  CHECK_TEXT("ABI_OUTER", bkr_backend_name(backend));
  bkr_backend_destroy(backend);
  return check_result();
}
