/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins of the future, with today's library: used for what is known if they allow it, otherwise refused with both
 * versions before any of their code runs (which would end this process).
 *
 *   plugin_test <directory of the accepted one> <directory of the refused ones> */

#include <stdlib.h>

#include "abi/v1/seen.h"
#include "api/c/check.h"
#include "future.h"

static char text[4096];
static bkr_error error = BKR_ERROR_INIT(text);

static bkr_registry *open_in(const char *dir) {
  bkr_config config = {0};
  bkr_registry *registry = NULL;
  config.struct_size = sizeof(config);
  config.flags = BKR_CONFIG_NO_ENVIRONMENT | BKR_CONFIG_NO_DEFAULT_DIRS;
  config.search_dirs = &dir;
  config.search_dir_count = 1;
  config.log_level = BKR_LOG_OFF;
  CHECK_STATUS(BKR_OK, bkr_registry_open(&config, &registry, &error));
  return registry;
}

static bkr_status load(bkr_family *family, const char *name) {
  bkr_member *member = NULL;
  bkr_factory *factory = NULL;
  CHECK_STATUS(BKR_OK, bkr_member_find(family, name, &member, &error));
  return bkr_member_load(member, &factory, &error);
}

static void used_for_what_is_known(bkr_registry *registry) {
  bkr_backend *backend = NULL;
  const void *table = NULL;
  CHECK_STATUS(BKR_OK, bkr_backend_open(registry, "attention", "ABI_FUTURE", NULL, 0, &backend, &error));
  if (backend == NULL) {
    check_failed(__FILE__, __LINE__, text);
    return;
  }
  CHECK_TEXT("ABI_FUTURE", bkr_backend_name(backend));
  CHECK_STATUS(BKR_OK, bkr_backend_validate(backend, NULL, 0, NULL, NULL, &error));
  CHECK_STATUS(BKR_OK, bkr_backend_init(backend, NULL, &error));
  CHECK_STATUS(BKR_UNSUPPORTED, bkr_backend_get_interface(backend, "bkr.attention/1", &table, &error));
  CHECK_STATUS(BKR_OK, bkr_backend_get_interface(backend, FUTURE_INTERFACE, &table, &error));
  if (table != NULL) CHECK(((const future_table *)table)->answer == FUTURE_ANSWER);
  CHECK_STATUS(BKR_OK, bkr_backend_get_interface(backend, ABI_SEEN, &table, &error));
  const abi_seen *seen = (const abi_seen *)table;
  if (seen != NULL) {
    CHECK(seen->unknown == BKR_UNSUPPORTED);
    CHECK(seen->args_size != 0 && seen->host_abi_version == bkr_abi_version());
    CHECK(seen->device_type == 1);
  }
  bkr_backend_destroy(backend);
}

static void its_facts(bkr_family *family) {
  bkr_target target = {0};
  target.struct_size = sizeof(target);
  CHECK_STATUS(BKR_OK, bkr_path_resolve(family, "test.abi.ABI_FUTURE", &target, &error));
  CHECK_TEXT("test.abi.future", target.plugin_id);
  CHECK_TEXT(FUTURE_INTERFACE, target.interface_id);
}

/* An unknown word of a CPU level is a requirement that is not met, of that record alone. */
static void unknown_cpu_level(bkr_registry *registry, bkr_family *family) {
  size_t need = 0;
  CHECK_STATUS(BKR_WRONG_PLATFORM, load(family, "ABI_QUANTUM"));
  CHECK(error.stage == BKR_STAGE_CPU && strstr(text, FUTURE_CPU_WORD) != NULL);
  CHECK_STATUS(BKR_OK, bkr_registry_report(registry, NULL, 0, &need, &error));
  char *report = (char *)calloc(1, need);
  CHECK_STATUS(BKR_OK, bkr_registry_report(registry, report, need, &need, &error));
  CHECK(report != NULL && strstr(report, "cpu level not met") != NULL);
  free(report);
}

/* The text has the versions on both sides, "1.65535" and "1.0". */
static void check_refused(int line, bkr_status status, unsigned major, unsigned minor) {
  char theirs[32];
  char ours[32];
  snprintf(theirs, sizeof(theirs), " %u.%u", major, minor);
  snprintf(ours, sizeof(ours), " %u.%u", (unsigned)(bkr_abi_version() >> 16), (unsigned)(bkr_abi_version() & 0xffff));
  if (status == BKR_ABI_MISMATCH && error.stage == BKR_STAGE_ABI && strstr(text, theirs) && strstr(text, ours)) return;
  check_failed(__FILE__, line, bkr_status_name(status));
  printf("  stage %d: %s\n", (int)error.stage, text);
}

static void refused(bkr_family *family, const char *dir) {
  char file[4096];
  bkr_factory *factory = NULL;
  check_refused(__LINE__, load(family, "ABI_NEEDS_MINOR"), BKR_ABI_MAJOR, FUTURE_MINOR);
  check_refused(__LINE__, load(family, "ABI_MAJOR"), BKR_ABI_MAJOR + 1, FUTURE_MINOR);
  snprintf(file, sizeof(file), "%s/abi_future_major.so", dir);
  check_refused(__LINE__, bkr_path_load(family, file, &factory, &error), BKR_ABI_MAJOR + 1, FUTURE_MINOR);
  /* What the records of another major are made of nobody knows. */
  snprintf(file, sizeof(file), "%s/abi_future_other_records.so", dir);
  check_refused(__LINE__, bkr_path_load(family, file, &factory, &error), BKR_ABI_MAJOR + 1, FUTURE_MINOR);
  CHECK(factory == NULL);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  bkr_registry *registry = open_in(argv[1]);
  used_for_what_is_known(registry);
  its_facts(bkr_family_at(registry, 0));
  unknown_cpu_level(registry, bkr_family_at(registry, 0));
  bkr_registry_close(registry);

  registry = open_in(argv[2]);
  refused(bkr_family_at(registry, 0), argv[2]);
  bkr_registry_close(registry);
  return check_result();
}
