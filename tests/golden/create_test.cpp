// SPDX-License-Identifier: Apache-2.0
// Create functions and backends that say no, give nothing usable, or let an exception out.
#include <cerrno>
#include <cstdio>

#include "golden.h"

namespace golden {
namespace {

// What the plugin is asked to do instead of what is right (plugins/plugin.c, plugins/plugin.cpp).
struct Fault {
  const char *name;
  const char *option;
  const char *value;
};
void PrintTo(const Fault &fault, std::ostream *to) { *to << fault.name; }

const Fault kFaults[] = {
    {"create_gives_null", "create", "null"},
    {"create_gives_no_table", "create", "no api"},
    {"create_gives_a_short_table", "create", "short table"},
    {"create_gives_a_table_without_name", "create", "no name"},
    {"create_gives_a_table_without_get_interface", "create", "no get_interface"},
    {"create_gives_a_table_without_destroy", "create", "no destroy"},
    {"create_gives_a_backend_in_use", "create", "in use"},
    {"create_says_no", "create", "refuse"},
    {"create_says_no_without_a_text", "create", "refuse without a text"},
    {"create_gives_an_unknown_status", "create", "unknown status"},
    {"create_asks_for_an_unknown_backend", "create", "ask for OTHER"},
    {"create_asks_for_a_service_that_is_not_there", "create", "service test.other/1"},
    {"create_throws", "throw", "create"},
    {"create_throws_a_number", "throw", "a number"},
};

class EachFault : public Golden, public testing::WithParamInterface<Fault> {};

TEST_P(EachFault, is_stopped) {
  const bool throws = GetParam().option == std::string("throw");
  dir.drop(built(throws ? "twin_a" : "good"), "good.so");
  const Registry registry(dir);
  expect(registry.open(throws ? "TWIN_A" : "GOOD", {{GetParam().option, GetParam().value}}).answer, registry);
}

INSTANTIATE_TEST_SUITE_P(Golden, EachFault, testing::ValuesIn(kFaults), RowName());

class Create : public Golden {
 protected:
  // A backend one of whose functions throws.
  Backend thrower(const Registry &registry, const char *function) const {
    return std::move(registry.open("TWIN_A", {{"throw", function}}).backend);
  }
};

TEST_F(Create, create_asks_for_itself) {
  dir.drop(built("good"), "good.so");
  const Registry registry(dir);
  expect(registry.open("GOOD", {{"create", "ask for GOOD"}}).answer, registry);
}

TEST_F(Create, create_of_another_name_than_was_asked_for) {
  const Variable variable("BKR_OVERRIDE_ATTENTION_CUSTOM", dir.drop(built("good"), "good.so"));
  const Registry registry(dir);
  bkr_backend *backend = nullptr;
  const bkr_option option = {"create", "refuse"};
  expect(say([&](bkr_error *error) {
           return bkr_backend_open(registry.get(), "attention", "CUSTOM", &option, 1, &backend, error);
         }),
         registry);
}

TEST_F(Create, create_asks_for_another_service_than_is_offered) {
  dir.drop(built("good"), "good.so");
  const Registry registry(Configuration{{dir.path()}, 0, 0, {{"host.other/1", this}, {"host.another/2", this}}});
  expect(registry.open("GOOD", {{"create", "service test.other/1"}}).answer, registry);
}

TEST_F(Create, name_throws) {
  dir.drop(built("twin_a"), "good.so");
  const Registry registry(dir);
  const Backend backend = thrower(registry, "name");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(bkr_backend_name(backend.get()), nullptr);
  expect(logged(registry));
}

TEST_F(Create, validate_throws) {
  dir.drop(built("twin_a"), "good.so");
  const Registry registry(dir);
  const Backend backend = thrower(registry, "validate");
  expect(
      say([&](bkr_error *error) { return bkr_backend_validate(backend.get(), nullptr, 0, nullptr, nullptr, error); }),
      registry);
}

TEST_F(Create, init_throws) {
  dir.drop(built("twin_a"), "good.so");
  const Registry registry(dir);
  const Backend backend = thrower(registry, "init");
  expect(say([&](bkr_error *error) { return bkr_backend_init(backend.get(), nullptr, error); }), registry);
}

TEST_F(Create, backend_is_initialised_twice) {
  dir.drop(built("good"), "good.so");
  const Registry registry(dir);
  const Backend backend = std::move(registry.open("GOOD").backend);
  const auto init = [&](bkr_error *error) { return bkr_backend_init(backend.get(), nullptr, error); };
  ASSERT_TRUE(ok(say(init)));
  expect(say(init), registry);
}

TEST_F(Create, get_interface_throws) {
  dir.drop(built("twin_a"), "good.so");
  const Registry registry(dir);
  const Backend backend = thrower(registry, "get_interface");
  const void *table = nullptr;
  expect(
      say([&](bkr_error *error) { return bkr_backend_get_interface(backend.get(), "bkr.attention/1", &table, error); }),
      registry);
}

TEST_F(Create, interface_is_not_there) {
  dir.drop(built("good"), "good.so");
  const Registry registry(dir);
  const Backend backend = std::move(registry.open("GOOD").backend);
  const void *table = nullptr;
  expect(
      say([&](bkr_error *error) { return bkr_backend_get_interface(backend.get(), "bkr.attention/1", &table, error); }),
      registry);
}

TEST_F(Create, interface_of_the_record_is_not_there) {
  dir.drop(built("good").with_interface("bkr.attention/1"), "good.so");
  const Registry registry(dir);
  const Backend backend = std::move(registry.open("GOOD").backend);
  const void *table = nullptr;
  expect(
      say([&](bkr_error *error) { return bkr_backend_get_interface(backend.get(), "bkr.attention/1", &table, error); }),
      registry);
}

TEST_F(Create, destroy_throws) {
  dir.drop(built("twin_a"), "good.so");
  const Registry registry(dir);
  Backend backend = thrower(registry, "destroy");
  backend.destroy();
  expect(logged(registry));
}

// A backend of the host's own.
namespace in_process {

const char *name(const bkr_backend *) { return "OWN"; }
bkr_status init(bkr_backend *, const bkr_device *, bkr_error *error) {
  std::snprintf(error->msg, error->msg_cap, "the device is on fire");
  error->native_code = ENOENT;
  return BKR_INIT_FAILED;
}
bkr_status validate(bkr_backend *, const bkr_option *, uint32_t, bkr_reason_fn, void *, bkr_error *) { return 4711; }
bkr_status get_interface(bkr_backend *, const char *id, const void **, bkr_error *error) {
  if (id == std::string_view("own/2")) return 4711;
  if (id == std::string_view("own/3")) return BKR_UNSUPPORTED;
  if (id == std::string_view("own/4")) std::snprintf(error->msg, error->msg_cap, "own/4 needs a licence");
  return id == std::string_view("own/4") ? BKR_UNSUPPORTED : BKR_OK;
}
void destroy(bkr_backend *backend) { delete backend; }
constexpr bkr_backend_api api = {sizeof(bkr_backend_api), 0, name, validate, init, get_interface, destroy};

bkr_status BKR_CALL create(const bkr_create_args *args, bkr_backend **backend, bkr_error *) {
  if (args->option_count > 0) return BKR_CREATE_FAILED;
  *backend = new bkr_backend{&api, nullptr};
  return BKR_OK;
}

}  // namespace in_process

class InProcess : public Golden {
 protected:
  InProcess() {
    EXPECT_EQ(bkr_provide(registry.family(), "own.Backend", in_process::create, nullptr, nullptr), BKR_OK);
    EXPECT_EQ(bkr_member_register(registry.family(), "OWN", "own.Backend", nullptr, nullptr), BKR_OK);
  }
  Answer get_interface(const char *id) const {
    const Backend backend = std::move(registry.open("OWN").backend);
    const void *table = nullptr;
    return say([&](bkr_error *error) { return bkr_backend_get_interface(backend.get(), id, &table, error); });
  }
  const Registry registry;
};

TEST_F(InProcess, function_of_the_host_says_no) { expect(registry.open("OWN", {{"how", "not"}}).answer, registry); }

TEST_F(InProcess, function_of_the_host_says_no_to_a_path) {
  bkr_factory *factory = nullptr;
  ASSERT_EQ(bkr_path_load(registry.family(), "own.Backend", &factory, nullptr), BKR_OK);
  const bkr_option option = {"how", "not"};
  bkr_backend *backend = nullptr;
  expect(say([&](bkr_error *error) { return bkr_factory_create(factory, &option, 1, &backend, error); }), registry);
}

TEST_F(InProcess, init_fails) {
  const Backend backend = std::move(registry.open("OWN").backend);
  expect(say([&](bkr_error *error) { return bkr_backend_init(backend.get(), nullptr, error); }), registry);
}

TEST_F(InProcess, validate_gives_an_unknown_status) {
  const Backend backend = std::move(registry.open("OWN").backend);
  expect(
      say([&](bkr_error *error) { return bkr_backend_validate(backend.get(), nullptr, 0, nullptr, nullptr, error); }),
      registry);
}

TEST_F(InProcess, interface_is_given_without_a_table) { expect(get_interface("own/1"), registry); }
TEST_F(InProcess, get_interface_gives_an_unknown_status) { expect(get_interface("own/2"), registry); }
TEST_F(InProcess, interface_of_a_function_of_the_host_is_not_there) { expect(get_interface("own/3"), registry); }
TEST_F(InProcess, interface_is_refused_with_a_text) { expect(get_interface("own/4"), registry); }

}  // namespace
}  // namespace golden
