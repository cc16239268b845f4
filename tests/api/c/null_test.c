/* SPDX-License-Identifier: Apache-2.0 */
/* Every function is called with NULL for each pointer: nothing crashes, and the status is right. */

#include "check.h"
#include "own_backend.h"

static void registries(bkr_registry *registry) {
  bkr_registry *opened = NULL;
  size_t need = 0;
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_registry_open(NULL, NULL, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_registry_default(NULL, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_registry_rescan(NULL, NULL));
  CHECK(bkr_registry_epoch(NULL) == 0);
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_registry_report(NULL, NULL, 0, &need, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_registry_report(registry, NULL, 0, NULL, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_registry_report(registry, NULL, 100, &need, NULL));
  CHECK(bkr_registry_fingerprint(NULL) == 0);
  bkr_registry_close(NULL);
  CHECK_STATUS(BKR_OK, bkr_registry_open(NULL, &opened, NULL));
  bkr_registry_close(opened);
}

static void families(bkr_registry *registry) {
  bkr_family *family = NULL;
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_family_find(NULL, "attention", &family, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_family_find(registry, NULL, &family, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_family_find(registry, "attention", NULL, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_family_add(NULL, "a", "b", &family, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_family_add(registry, NULL, "b", &family, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_family_add(registry, "a", NULL, &family, NULL));
  CHECK(family == NULL);
  CHECK(bkr_family_at(NULL, 0) == NULL);
  CHECK(bkr_family_at(registry, UINT32_MAX) == NULL);
  CHECK(bkr_family_name(NULL) == NULL);
  CHECK(bkr_family_member_at(NULL, 0) == NULL);
  CHECK(bkr_family_member_at(bkr_family_at(registry, 0), UINT32_MAX) == NULL);
}

static void members(bkr_family *family) {
  bkr_member *member = NULL;
  bkr_member *existing = bkr_family_member_at(family, 0);
  const char *text = NULL;
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_member_find(NULL, "X", &member, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_member_find(family, NULL, &member, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_member_find(family, "CUSTOM", NULL, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_member_find_by_path(NULL, "x.Y", &member, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_member_find_by_path(family, NULL, &member, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_member_find_by_path(family, "", NULL, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_member_register(NULL, "X", "x.Y", &member, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_member_register(family, NULL, "x.Y", &member, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_register_backend(NULL, "X", "x.Y", &member, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_register_backend(family, NULL, "x.Y", &member, NULL));
  CHECK(member == NULL);
  CHECK_STATUS(BKR_OK, bkr_member_register(family, "WITHOUT_PATH", NULL, NULL, NULL));
  CHECK_STATUS(BKR_OK, bkr_member_register(family, "EMPTY_PATH", "", NULL, NULL));
  CHECK_STATUS(BKR_OK, bkr_register_backend(family, "WITHOUT_HANDLE", "x.Y", NULL, NULL));

  CHECK(bkr_member_name(NULL) == NULL);
  CHECK(bkr_member_family(NULL) == NULL);
  CHECK(bkr_member_default_path(NULL) == NULL);
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_member_path(NULL, &text, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_member_path(existing, NULL, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_member_module(NULL, &text, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_member_module(existing, NULL, NULL));
  CHECK(text == NULL);
  CHECK(bkr_member_is_overridden(NULL) == 0);
  CHECK(bkr_member_override_source(NULL) == 0);
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_member_override(NULL, "x.Y", NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_member_override(existing, NULL, NULL));
  bkr_member_clear_override(NULL);
}

static void resolving_and_loading(bkr_family *family) {
  bkr_member *existing = bkr_family_member_at(family, 0);
  bkr_target target = {0};
  bkr_factory *factory = NULL;
  size_t need = 0;
  target.struct_size = sizeof(target);
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_provide(NULL, "x.Y", own_create, NULL, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_provide(family, NULL, own_create, NULL, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_member_resolve(NULL, &target, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_member_resolve(existing, NULL, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_path_resolve(NULL, "x.Y", &target, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_path_resolve(family, NULL, &target, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_path_resolve(family, "x.Y", NULL, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_member_explain(NULL, NULL, 0, &need, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_member_explain(existing, NULL, 0, NULL, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_member_explain(existing, NULL, 100, &need, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_member_load(NULL, &factory, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_member_load(existing, NULL, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_path_load(NULL, "x.Y", &factory, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_path_load(family, NULL, &factory, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_path_load(family, "x.Y", NULL, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_inspect(NULL, NULL, 0, &need, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_inspect("/", NULL, 0, NULL, NULL));
  CHECK(factory == NULL);
}

static void backends(bkr_registry *registry, bkr_family *family) {
  own_record record;
  bkr_factory *factory = NULL;
  bkr_backend *backend = NULL;
  const void *table = NULL;
  memset(&record, 0, sizeof(record));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_factory_create(NULL, NULL, 0, &backend, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_backend_open(NULL, "attention", "X", NULL, 0, &backend, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_backend_open(registry, NULL, "X", NULL, 0, &backend, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_backend_open(registry, "attention", NULL, NULL, 0, &backend, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_backend_open(registry, "attention", "X", NULL, 0, NULL, NULL));
  CHECK(bkr_backend_name(NULL) == NULL);
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_backend_validate(NULL, NULL, 0, NULL, NULL, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_backend_init(NULL, NULL, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_backend_get_interface(NULL, OWN_INTERFACE, &table, NULL));
  bkr_backend_destroy(NULL);

  CHECK_STATUS(BKR_OK, bkr_provide(family, "test.own.Backend", own_create, &record, NULL));
  CHECK_STATUS(BKR_OK, bkr_path_load(family, "test.own.Backend", &factory, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_factory_create(factory, NULL, 0, NULL, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_factory_create(factory, NULL, 1, &backend, NULL));
  CHECK(record.created == 0);
  CHECK_STATUS(BKR_OK, bkr_factory_create(factory, NULL, 0, &backend, NULL));
  if (backend == NULL) return;
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_backend_validate(backend, NULL, 1, NULL, NULL, NULL));
  CHECK_STATUS(BKR_OK, bkr_backend_validate(backend, NULL, 0, NULL, NULL, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_backend_get_interface(backend, NULL, &table, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_backend_get_interface(backend, OWN_INTERFACE, NULL, NULL));
  CHECK(table == NULL);
  bkr_backend_destroy(backend);
}

static void options_without_key_or_value(bkr_family *family) {
  static const bkr_option without_key[] = {{NULL, "x"}};
  static const bkr_option without_value[] = {{"x", NULL}};
  own_record record;
  bkr_factory *factory = NULL;
  bkr_backend *backend = NULL;
  memset(&record, 0, sizeof(record));
  CHECK_STATUS(BKR_OK, bkr_provide(family, "test.own.Backend", own_create, &record, NULL));
  CHECK_STATUS(BKR_OK, bkr_path_load(family, "test.own.Backend", &factory, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_factory_create(factory, without_key, 1, &backend, NULL));
  CHECK_STATUS(BKR_INVALID_ARGUMENT, bkr_factory_create(factory, without_value, 1, &backend, NULL));
  CHECK(record.created == 0);
}

int main(void) {
  bkr_registry *registry = open_alone();
  if (registry == NULL) return check_result();
  bkr_family *attention = bkr_family_at(registry, 0);
  registries(registry);
  families(registry);
  members(attention);
  resolving_and_loading(attention);
  backends(registry, attention);
  options_without_key_or_value(attention);
  bkr_registry_close(registry);
  return check_result();
}
