/* SPDX-License-Identifier: Apache-2.0 */
/* Structs of other versions: shorter than the first one is refused, longer is accepted if what is not known is
 * zero, unknown flags are refused. */

#include "check.h"
#include "own_backend.h"

/* As a later version of the headers may have it. */
typedef struct later_config {
  bkr_config known;
  uint64_t new_field;
} later_config;

typedef struct later_target {
  bkr_target known;
  const char *new_field;
} later_target;

typedef struct later_device {
  bkr_device known;
  uint64_t new_field;
} later_device;

static bkr_status open_and_close(const bkr_config *config) {
  bkr_registry *registry = NULL;
  bkr_status status = bkr_registry_open(config, &registry, NULL);
  CHECK((status == BKR_OK) == (registry != NULL));
  bkr_registry_close(registry);
  return status;
}

static void configurations(void) {
  later_config config;
  memset(&config, 0, sizeof(config));
  config.known.flags = BKR_CONFIG_NO_ENVIRONMENT | BKR_CONFIG_NO_DEFAULT_DIRS;
  CHECK_STATUS(BKR_INVALID_ARGUMENT, open_and_close(&config.known)); /* 0 */
  config.known.struct_size = sizeof(bkr_config) - 1;
  CHECK_STATUS(BKR_INVALID_ARGUMENT, open_and_close(&config.known));
  config.known.struct_size = sizeof(bkr_config);
  CHECK_STATUS(BKR_OK, open_and_close(&config.known));
  config.known.struct_size = sizeof(later_config);
  CHECK_STATUS(BKR_OK, open_and_close(&config.known));
  config.new_field = UINT64_C(1) << 63;
  CHECK_STATUS(BKR_INVALID_ARGUMENT, open_and_close(&config.known));

  config.known.struct_size = sizeof(bkr_config);
  config.known.flags |= 1u << 31;
  CHECK_STATUS(BKR_INVALID_ARGUMENT, open_and_close(&config.known));
  config.known.flags &= ~(1u << 31);
  config.known.search_dir_count = 1; /* and search_dirs NULL */
  CHECK_STATUS(BKR_INVALID_ARGUMENT, open_and_close(&config.known));
  config.known.search_dir_count = 0;
  config.known.service_count = 1; /* and services NULL */
  CHECK_STATUS(BKR_INVALID_ARGUMENT, open_and_close(&config.known));
}

static void targets(bkr_family *family) {
  later_target target;
  memset(&target, 0, sizeof(target));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_path_resolve(family, "test.own.Backend", &target.known, NULL));
  target.known.struct_size = sizeof(bkr_target) - 1;
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_path_resolve(family, "test.own.Backend", &target.known, NULL));
  target.known.struct_size = sizeof(later_target);
  CHECK_STATUS(BKR_OK, bkr_path_resolve(family, "test.own.Backend", &target.known, NULL));
  CHECK(target.known.struct_size == sizeof(later_target));
  CHECK_TEXT("test.own.Backend", target.known.path);
  CHECK(target.new_field == NULL);
}

static bkr_status init_anew(bkr_factory *factory, const bkr_device *device) {
  bkr_backend *backend = NULL;
  bkr_status status;
  CHECK_STATUS(BKR_OK, bkr_factory_create(factory, NULL, 0, &backend, NULL));
  status = bkr_backend_init(backend, device, NULL);
  bkr_backend_destroy(backend);
  return status;
}

static void devices(bkr_factory *factory, own_record *record) {
  later_device device;
  memset(&device, 0, sizeof(device));
  device.known.device_type = 1;
  CHECK_STATUS(BKR_INVALID_ARGUMENT, init_anew(factory, &device.known)); /* 0 */
  device.known.struct_size = sizeof(bkr_device) - 1;
  CHECK_STATUS(BKR_INVALID_ARGUMENT, init_anew(factory, &device.known));
  device.new_field = 1;
  device.known.struct_size = sizeof(later_device);
  CHECK_STATUS(BKR_INVALID_ARGUMENT, init_anew(factory, &device.known));
  CHECK(record->initialised == 0);
  device.new_field = 0;
  CHECK_STATUS(BKR_OK, init_anew(factory, &device.known));
  CHECK(record->initialised == 1);
}

static void an_error_that_is_too_short_is_left_alone(bkr_family *family) {
  char text[64] = "untouched";
  bkr_error error = BKR_ERROR_INIT(text);
  bkr_member *member = NULL;
  error.struct_size = sizeof(bkr_error) - 4;
  error.stage = 77;
  (void)bkr_member_find(family, "NONE", &member, &error);
  CHECK(member == NULL);
  CHECK(error.stage == 77);
}

int main(void) {
  own_record record;
  bkr_factory *factory = NULL;
  bkr_registry *registry = open_alone();
  if (registry == NULL) return check_result();
  memset(&record, 0, sizeof(record));
  configurations();
  bkr_family *attention = bkr_family_at(registry, 0);
  CHECK_STATUS(BKR_OK, bkr_provide(attention, "test.own.Backend", own_create, &record, NULL));
  CHECK_STATUS(BKR_OK, bkr_path_load(attention, "test.own.Backend", &factory, NULL));
  targets(attention);
  devices(factory, &record);
  an_error_that_is_too_short_is_left_alone(attention);
  bkr_registry_close(registry);
  return check_result();
}
