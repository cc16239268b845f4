/* SPDX-License-Identifier: Apache-2.0 */
/* A host of the future, with today's library: its structs are longer. What it reads is accepted if what is not known is
 * zero, and refused with a text if it is not; what it writes is written as far as it is known. A struct shorter than in
 * version 1 is refused, and unknown flags are. (The parameters of kernels are the plugins' to check.) */

#include <stddef.h>

#include "api/c/check.h"
#include "api/c/own_backend.h"

/* As later headers may have them. */
typedef struct later_config {
  bkr_config known;
  uint64_t later;
} later_config;

typedef struct later_device {
  bkr_device known;
  uint64_t later;
} later_device;

typedef struct later_selection {
  bkr_selection known;
  uint64_t later;
} later_selection;

typedef struct later_target {
  bkr_target known;
  uint64_t later;
} later_target;

typedef struct later_error {
  bkr_error known;
  uint64_t later;
} later_error;

/* The size of a struct in version 1, by its last field there. */
#define FIRST_SIZE(type, last) ((uint32_t)(offsetof(type, last) + sizeof(((type *)0)->last)))
#define LATER UINT64_C(0xa5a5a5a5a5a5a5a5)

static char text[1024];
static bkr_error error = BKR_ERROR_INIT(text);

/* Refused, with a text that names the struct and its size. */
static void check_refused(int line, bkr_status status, const char *name, uint32_t size) {
  char number[16];
  snprintf(number, sizeof(number), "%u", (unsigned)size);
  check_status(__FILE__, line, name, BKR_INVALID_ARGUMENT, status);
  if (strstr(text, name) == NULL || strstr(text, "struct_size") == NULL || strstr(text, number) == NULL) {
    check_failed(__FILE__, line, text);
  }
  text[0] = '\0';
}

static bkr_status open_and_close(const bkr_config *config) {
  bkr_registry *registry = NULL;
  bkr_status status = bkr_registry_open(config, &registry, &error);
  CHECK((status == BKR_OK) == (registry != NULL));
  bkr_registry_close(registry);
  return status;
}

static void configurations(void) {
  const uint32_t first = FIRST_SIZE(bkr_config, reserved0);
  later_config config;
  memset(&config, 0, sizeof(config));
  config.known.flags = BKR_CONFIG_NO_ENVIRONMENT | BKR_CONFIG_NO_DEFAULT_DIRS;
  check_refused(__LINE__, open_and_close(&config.known), "bkr_config", 0);
  config.known.struct_size = first - 1;
  check_refused(__LINE__, open_and_close(&config.known), "bkr_config", first - 1);
  config.known.struct_size = first;
  CHECK_STATUS(BKR_OK, open_and_close(&config.known));
  config.known.struct_size = sizeof(later_config);
  CHECK_STATUS(BKR_OK, open_and_close(&config.known));
  config.later = UINT64_C(1) << 63; /* its last byte */
  check_refused(__LINE__, open_and_close(&config.known), "bkr_config", sizeof(later_config));
  config.known.struct_size = sizeof(bkr_config);
  CHECK_STATUS(BKR_OK, open_and_close(&config.known)); /* what lies behind struct_size is not looked at */

  config.known.flags |= 1u << 31;
  CHECK_STATUS(BKR_INVALID_ARGUMENT, open_and_close(&config.known));
  config.known.flags &= ~(1u << 31);
  config.known.search_dir_count = 1; /* and search_dirs NULL */
  CHECK_STATUS(BKR_INVALID_ARGUMENT, open_and_close(&config.known));
  config.known.search_dir_count = 0;
  config.known.service_count = 1; /* and services NULL */
  CHECK_STATUS(BKR_INVALID_ARGUMENT, open_and_close(&config.known));
}

static bkr_status init_anew(bkr_factory *factory, const bkr_device *device) {
  bkr_backend *backend = NULL;
  bkr_status status;
  CHECK_STATUS(BKR_OK, bkr_factory_create(factory, NULL, 0, &backend, NULL));
  status = bkr_backend_init(backend, device, &error);
  bkr_backend_destroy(backend);
  return status;
}

static void devices(bkr_factory *factory, own_record *record) {
  const uint32_t first = FIRST_SIZE(bkr_device, reserved0);
  later_device device;
  memset(&device, 0, sizeof(device));
  device.known.device_type = 1;
  check_refused(__LINE__, init_anew(factory, &device.known), "bkr_device", 0);
  device.known.struct_size = first - 1;
  check_refused(__LINE__, init_anew(factory, &device.known), "bkr_device", first - 1);
  device.later = 1;
  device.known.struct_size = sizeof(later_device);
  check_refused(__LINE__, init_anew(factory, &device.known), "bkr_device", sizeof(later_device));
  CHECK(record->initialised == 0);
  device.later = 0;
  CHECK_STATUS(BKR_OK, init_anew(factory, &device.known));
  device.known.struct_size = first;
  CHECK_STATUS(BKR_OK, init_anew(factory, &device.known));
  CHECK(record->initialised == 2);
}

static void selections(bkr_family *family) {
  const uint32_t first = FIRST_SIZE(bkr_selection, candidate_count);
  bkr_member *member = NULL;
  later_selection selection;
  memset(&selection, 0, sizeof(selection));
  check_refused(__LINE__, bkr_select(family, &selection.known, &member, NULL, 0, NULL, &error), "bkr_selection", 0);
  selection.known.struct_size = first - 1;
  check_refused(__LINE__, bkr_select(family, &selection.known, &member, NULL, 0, NULL, &error), "bkr_selection",
                first - 1);
  selection.known.struct_size = sizeof(selection);
  selection.later = LATER;
  check_refused(__LINE__, bkr_select(family, &selection.known, &member, NULL, 0, NULL, &error), "bkr_selection",
                sizeof(selection));
  CHECK(member == NULL);
  /* Zero is the old behaviour: nobody is there to be chosen, or somebody is. */
  selection.later = 0;
  bkr_status status = bkr_select(family, &selection.known, &member, NULL, 0, NULL, &error);
  CHECK(status == BKR_NO_VALID_BACKEND || (status == BKR_OK && member != NULL));
}

static void targets(bkr_family *family, const bkr_member *member) {
  const uint32_t first = FIRST_SIZE(bkr_target, interface_id);
  later_target target;
  memset(&target, 0, sizeof(target));
  target.later = LATER;
  check_refused(__LINE__, bkr_path_resolve(family, "test.own.Backend", &target.known, &error), "target", 0);
  target.known.struct_size = first - 1;
  check_refused(__LINE__, bkr_path_resolve(family, "test.own.Backend", &target.known, &error), "target", first - 1);
  check_refused(__LINE__, bkr_member_resolve(member, &target.known, &error), "target", first - 1);
  CHECK(target.known.path == NULL);

  target.known.struct_size = sizeof(later_target);
  CHECK_STATUS(BKR_NOT_FOUND, bkr_path_resolve(family, "test.none.Backend", &target.known, &error));
  CHECK(target.known.path == NULL);
  CHECK_STATUS(BKR_OK, bkr_path_resolve(family, "test.own.Backend", &target.known, &error));
  CHECK_TEXT("test.own.Backend", target.known.path);
  CHECK_STATUS(BKR_OK, bkr_member_resolve(member, &target.known, &error));
  CHECK(target.known.struct_size == sizeof(later_target) && target.later == LATER);
}

static void errors(bkr_family *family) {
  char words[64] = "";
  bkr_member *member = NULL;
  later_error later = {BKR_ERROR_INIT(words), LATER};
  later.known.struct_size = sizeof(later);
  CHECK_STATUS(BKR_UNKNOWN_NAME, bkr_member_find(family, "NONE", &member, &later.known));
  CHECK(later.known.code == BKR_UNKNOWN_NAME && later.known.msg_len > 0 && words[0] != '\0');
  CHECK(later.known.struct_size == sizeof(later) && later.later == LATER);
}

/* Nothing can be told by it, so that every call that is given one fails, and touches neither it nor anything else. */
static void an_error_that_is_too_short_is_left_alone(bkr_family *family) {
  char words[64] = "untouched";
  bkr_error shorter = BKR_ERROR_INIT(words);
  bkr_member *member = NULL;
  const char *path = NULL;
  bkr_factory *factory = NULL;
  shorter.struct_size = FIRST_SIZE(bkr_error, stage) - 1;
  shorter.stage = 77;
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_member_find(family, "NONE", &member, &shorter));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_member_find(family, "FLASH_ATTN", &member, &shorter));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_member_path(bkr_family_member_at(family, 0), &path, &shorter));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_path_load(family, "test.own.Backend", &factory, &shorter));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_member_register(family, "NEW", NULL, NULL, &shorter));
  CHECK_STATUS(BKR_UNKNOWN_NAME, bkr_member_find(family, "NEW", &member, NULL));
  CHECK(member == NULL && path == NULL && factory == NULL);
  CHECK(shorter.stage == 77 && strcmp(words, "untouched") == 0);
}

int main(void) {
  own_record record;
  bkr_factory *factory = NULL;
  bkr_member *own = NULL;
  bkr_registry *registry = open_alone();
  if (registry == NULL) return check_result();
  memset(&record, 0, sizeof(record));
  configurations();
  bkr_family *attention = bkr_family_at(registry, 0);
  CHECK_STATUS(BKR_OK, bkr_provide(attention, "test.own.Backend", own_create, &record, NULL));
  CHECK_STATUS(BKR_OK, bkr_path_load(attention, "test.own.Backend", &factory, NULL));
  CHECK_STATUS(BKR_OK, bkr_register_backend(attention, "OWN", "test.own.Backend", &own, NULL));
  devices(factory, &record);
  selections(attention);
  targets(attention, own);
  errors(attention);
  an_error_that_is_too_short_is_left_alone(attention);
  bkr_registry_close(registry);
  return check_result();
}
