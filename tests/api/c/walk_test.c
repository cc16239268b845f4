/* SPDX-License-Identifier: Apache-2.0 */
/* A host in plain C goes the one way, from a name to a kernel, through every function once. */

#include "check.h"
#include "own_backend.h"

static const char own_path[] = "test.own.Backend";

static void the_library_says_what_it_is(void) {
  CHECK(bkr_abi_version() == BKR_ABI_VERSION);
  CHECK_TEXT(BKR_VERSION, bkr_version());
  CHECK_TEXT("BKR_OK", bkr_status_name(BKR_OK));
  CHECK_TEXT("BKR_INTERNAL", bkr_status_name(BKR_INTERNAL));
  CHECK_TEXT("BKR_UNKNOWN_STATUS", bkr_status_name(-1));
  CHECK_TEXT("BKR_UNKNOWN_STATUS", bkr_status_name(BKR_INTERNAL + 1));
}

static void families_are_found_and_added(bkr_registry *registry) {
  static const char *const built_in[] = {"attention", "mamba", "mla_prefill"};
  bkr_family *found = NULL;
  bkr_family *added = NULL;
  for (uint32_t i = 0; i < 3; ++i) {
    CHECK_TEXT(built_in[i], bkr_family_name(bkr_family_at(registry, i)));
    CHECK_STATUS(BKR_OK, bkr_family_find(registry, built_in[i], &found, NULL));
    CHECK(found == bkr_family_at(registry, i));
  }
  CHECK(bkr_family_at(registry, 3) == NULL);
  CHECK_STATUS(BKR_UNKNOWN_FAMILY, bkr_family_find(registry, "Attention", &found, NULL));
  CHECK_STATUS(BKR_OK, bkr_family_add(registry, "sampler", "sampler backend", &added, NULL));
  CHECK(bkr_family_at(registry, 3) == added);
  CHECK_STATUS(BKR_ALREADY_EXISTS, bkr_family_add(registry, "sampler", "sampler backend", &added, NULL));
  CHECK_STATUS(BKR_INVALID_NAME, bkr_family_add(registry, "a sampler", "sampler backend", &added, NULL));
}

static bkr_member *members_are_registered_and_overridden(bkr_registry *registry, bkr_family *family) {
  bkr_member *member = NULL;
  bkr_member *found = NULL;
  const char *text = NULL;
  uint32_t count = 0;
  const uint64_t before = bkr_registry_epoch(registry);

  while (bkr_family_member_at(family, count) != NULL) ++count;
  CHECK_STATUS(BKR_OK, bkr_member_register(family, "OWN", "a.default.Path", &member, NULL));
  CHECK(bkr_registry_epoch(registry) > before);
  CHECK(bkr_family_member_at(family, count) == member);
  CHECK(bkr_family_member_at(family, count + 1) == NULL);
  CHECK_TEXT("OWN", bkr_member_name(member));
  CHECK(bkr_member_family(member) == family);
  CHECK_TEXT("a.default.Path", bkr_member_default_path(member));
  CHECK_STATUS(BKR_OK, bkr_member_find(family, "OWN", &found, NULL));
  CHECK(found == member);
  CHECK_STATUS(BKR_OK, bkr_member_find_by_path(family, "a.default.Path", &found, NULL));
  CHECK(found == member);
  CHECK_STATUS(BKR_OK, bkr_member_module(member, &text, NULL));
  CHECK_TEXT("a.default", text);
  CHECK(bkr_member_is_overridden(member) == 0);
  CHECK(bkr_member_override_source(member) == BKR_OVERRIDE_NONE);
  CHECK_STATUS(BKR_ALREADY_EXISTS, bkr_member_register(family, "OWN", "x.Y", NULL, NULL));
  CHECK_STATUS(BKR_INVALID_NAME, bkr_member_register(family, "1OWN", "x.Y", NULL, NULL));

  CHECK_STATUS(BKR_OK, bkr_member_override(member, own_path, NULL));
  CHECK_STATUS(BKR_OK, bkr_member_path(member, &text, NULL));
  CHECK_TEXT(own_path, text);
  CHECK(bkr_member_is_overridden(member) == 1);
  CHECK(bkr_member_override_source(member) == BKR_OVERRIDE_API);
  bkr_member_clear_override(member);
  CHECK_STATUS(BKR_OK, bkr_member_path(member, &text, NULL));
  CHECK_TEXT("a.default.Path", text);

  CHECK_STATUS(BKR_OK, bkr_register_backend(family, "OWN2", own_path, &found, NULL));
  CHECK(bkr_member_is_overridden(found) == 1);
  CHECK_TEXT(own_path, bkr_member_default_path(found));
  CHECK_STATUS(BKR_BAD_PATH, bkr_member_override(member, "", NULL));
  CHECK_STATUS(BKR_OK, bkr_member_override(member, own_path, NULL));
  return member;
}

static bkr_factory *a_function_of_the_host_is_resolved_and_loaded(bkr_family *family, bkr_member *member,
                                                                  own_record *record) {
  bkr_target target = {0};
  bkr_target same = {0};
  bkr_factory *factory = NULL;
  bkr_factory *again = NULL;
  target.struct_size = sizeof(target);
  same.struct_size = sizeof(same);

  CHECK_STATUS(BKR_NOT_FOUND, bkr_member_resolve(member, &target, NULL));
  CHECK_STATUS(BKR_BAD_PATH, bkr_provide(family, "/not/dotted.so", own_create, record, NULL));
  CHECK_STATUS(BKR_OK, bkr_provide(family, own_path, own_create, record, NULL));
  CHECK_STATUS(BKR_OK, bkr_member_resolve(member, &target, NULL));
  CHECK(target.provider == BKR_PROVIDER_IN_PROCESS);
  CHECK_TEXT("attention", target.family);
  CHECK_TEXT(own_path, target.path);
  CHECK(target.file == NULL);
  CHECK_STATUS(BKR_OK, bkr_path_resolve(family, own_path, &same, NULL));
  CHECK(same.provider == BKR_PROVIDER_IN_PROCESS);

  CHECK_STATUS(BKR_OK, bkr_member_load(member, &factory, NULL));
  CHECK_STATUS(BKR_OK, bkr_path_load(family, own_path, &again, NULL));
  CHECK(factory != NULL && again != NULL);
  CHECK(record->created == 0);
  return factory;
}

static void count_reason(void *user, const char *reason) {
  ++*(int *)user;
  CHECK_TEXT("unknown requirement colour=green", reason);
}

static void a_backend_is_made_used_and_destroyed(bkr_factory *factory, own_record *record) {
  static const bkr_option options[] = {{"threads", "4"}};
  static const bkr_option facts[] = {{"head_size", "128"}, {"colour", "green"}};
  bkr_backend *backend = NULL;
  const void *table = NULL;
  const void *same = NULL;
  int reasons = 0;

  CHECK_STATUS(BKR_OK, bkr_factory_create(factory, options, 1, &backend, NULL));
  if (backend == NULL) return;
  CHECK(record->created == 1);
  CHECK_TEXT("attention", record->family);
  CHECK_TEXT(own_path, record->path);
  CHECK_TEXT("threads=4", record->option);
  CHECK(record->args.abi_version == bkr_abi_version());
  CHECK(record->args.struct_size >= sizeof(bkr_create_args));
  CHECK(record->args.host_api != NULL && record->args.host_api->abi_version == bkr_abi_version());

  CHECK_TEXT("OWN", bkr_backend_name(backend));
  CHECK_STATUS(BKR_OK, bkr_backend_validate(backend, facts, 2, count_reason, &reasons, NULL));
  CHECK(reasons == 1);
  CHECK_STATUS(BKR_OK, bkr_backend_validate(backend, facts, 2, NULL, NULL, NULL));
  CHECK_STATUS(BKR_OK, bkr_backend_init(backend, NULL, NULL));
  CHECK_STATUS(BKR_WRONG_STATE, bkr_backend_init(backend, NULL, NULL));
  CHECK(record->initialised == 1);
  CHECK_STATUS(BKR_UNSUPPORTED, bkr_backend_get_interface(backend, "test.counter/2", &table, NULL));
  CHECK(table == NULL);
  CHECK_STATUS(BKR_OK, bkr_backend_get_interface(backend, OWN_INTERFACE, &table, NULL));
  CHECK_STATUS(BKR_OK, bkr_backend_get_interface(backend, OWN_INTERFACE, &same, NULL));
  CHECK(table != NULL && table == same);
  if (table != NULL) CHECK(((const own_counter *)table)->next(backend) == 1);
  bkr_backend_destroy(backend);
  CHECK(record->destroyed == 1);
}

static void a_backend_is_opened_by_name_and_outlives_its_registry(bkr_registry *registry, own_record *record) {
  bkr_backend *backend = NULL;
  CHECK_STATUS(BKR_OK, bkr_backend_open(registry, "attention", "OWN", NULL, 0, &backend, NULL));
  CHECK_STATUS(BKR_UNKNOWN_FAMILY, bkr_backend_open(registry, "none", "OWN", NULL, 0, &backend, NULL));
  CHECK_STATUS(BKR_UNKNOWN_NAME, bkr_backend_open(registry, "attention", "NONE", NULL, 0, &backend, NULL));
  bkr_registry_close(registry);
  CHECK_TEXT("OWN", bkr_backend_name(backend));
  bkr_backend_destroy(backend);
  CHECK(record->destroyed == 2);
}

static void a_function_is_withdrawn(bkr_family *family, bkr_member *member, own_record *record) {
  bkr_factory *factory = NULL;
  CHECK_STATUS(BKR_OK, bkr_provide(family, own_path, NULL, NULL, NULL));
  CHECK_STATUS(BKR_NOT_FOUND, bkr_member_load(member, &factory, NULL));
  CHECK_STATUS(BKR_OK, bkr_provide(family, own_path, own_create, record, NULL));
}

int main(void) {
  own_record record;
  memset(&record, 0, sizeof(record));
  the_library_says_what_it_is();
  bkr_registry *registry = open_alone();
  if (registry == NULL) return check_result();
  families_are_found_and_added(registry);
  bkr_family *attention = bkr_family_at(registry, 0);
  bkr_member *member = members_are_registered_and_overridden(registry, attention);
  bkr_factory *factory = a_function_of_the_host_is_resolved_and_loaded(attention, member, &record);
  a_backend_is_made_used_and_destroyed(factory, &record);
  a_function_is_withdrawn(attention, member, &record);
  CHECK_STATUS(BKR_OK, bkr_registry_rescan(registry, NULL));
  a_backend_is_opened_by_name_and_outlives_its_registry(registry, &record);
  return check_result();
}
