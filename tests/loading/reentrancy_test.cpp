// SPDX-License-Identifier: Apache-2.0
// The registry asked from within: by a create function, by a constructor, by the host's log function.
#include <backend_registry/services/registry.h>
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "child.h"
#include "loading_fixture.h"

namespace loading {
namespace {

TEST(Loading, T8_CreateAsksForAnotherBackend) {
  const TempDir dir;
  dir.drop(built("good").named("OUTER"), "outer.so");
  dir.drop(built("good").named("INNER"), "inner.so");
  const Registry registry(dir);

  EXPECT_TRUE(ok(registry.open("OUTER", {{"create", "ask for INNER"}}).answer));
  EXPECT_EQ(mapped_in(dir).size(), 2u);
  EXPECT_TRUE(failed(registry.open("OUTER", {{"create", "ask for NOBODY"}}).answer, BKR_CREATE_FAILED, BKR_STAGE_CREATE,
                     {"OUTER", "Unknown attention backend: 'NOBODY'"}));
}

TEST(Loading, T8_CreateAsksForItself) {
  const TempDir dir;
  const std::string file = dir.drop(built("good").named("SELF"), "self.so");
  const Registry registry(dir);

  EXPECT_TRUE(failed(registry.open("SELF", {{"create", "ask for SELF"}}).answer, BKR_CREATE_FAILED, BKR_STAGE_CREATE,
                     {"SELF", file, "BKR_REENTRANT", "asks for the very backend it is making"}));
  // Nothing is left behind on this thread.
  EXPECT_TRUE(ok(registry.open("SELF").answer));
}

TEST(Loading, T8_TwoBackendsThatAskForEachOther) {
  const TempDir dir;
  dir.drop(built("good").named("ONE"), "one.so");
  dir.drop(built("good").named("TWO"), "two.so");
  const Registry registry(dir);
  std::thread other([&] { EXPECT_TRUE(ok(registry.open("ONE", {{"create", "ask for TWO"}}).answer)); });
  EXPECT_TRUE(ok(registry.open("TWO", {{"create", "ask for ONE"}}).answer));
  other.join();
}

TEST(Loading, T8_ConstructorAsksForAnotherBackend) {
  const TempDir dir;
  dir.drop(built("good").named("OUTER"), "outer.so");
  dir.drop(built("good").named("INNER"), "inner.so");
  const Registry registry(dir);
  Made inner;
  when_code_runs_next([&] { inner = registry.open("INNER"); });
  EXPECT_TRUE(ok(registry.open("OUTER").answer));
  ASSERT_TRUE(ok(inner.answer));
  EXPECT_EQ(inner.backend.name(), "INNER");
}

TEST(Loading, T8_ConstructorAsksForItself) {
  const TempDir dir;
  const std::string file = dir.drop(built("good").named("SELF"), "self.so");
  const Registry registry(dir);
  Made inner;
  when_code_runs_next([&] { inner = registry.open("SELF"); });
  const Made outer = registry.open("SELF");
  ASSERT_TRUE(ok(outer.answer));
  ASSERT_TRUE(ok(inner.answer));
  EXPECT_EQ(&inner.backend.probe(), &outer.backend.probe());
  EXPECT_EQ(code_that_ran_in(dir), std::vector<std::string>{file});
}

TEST(Loading, T8_ConstructorAsksWhileAnotherThreadLoadsThatFile) {
  const TempDir dir;
  dir.drop(built("good").named("OUTER"), "outer.so");
  dir.drop(built("good").named("INNER"), "inner.so");
  const Registry registry(dir);
  std::thread other;
  Made inner;
  when_code_runs_next([&] {
    // The other thread gets as far as the system's lock, which this one holds.
    other = std::thread([&] { EXPECT_TRUE(ok(registry.open("INNER").answer)); });
    ::usleep(200000);
    inner = registry.open("INNER");
  });
  EXPECT_TRUE(ok(registry.open("OUTER").answer));
  EXPECT_TRUE(ok(inner.answer));
  other.join();
  EXPECT_EQ(code_that_ran_in(dir).size(), 2u);
}

TEST(Loading, T8_ConstructorThatTheHostRunsAsksWhileAnotherThreadLoadsThatFile) {
  const TempDir dir;
  const std::string outer = dir.drop(built("good").named("OUTER"), "outer.so");
  dir.drop(built("good").named("INNER"), "inner.so");
  const Registry registry(dir);
  std::thread other;
  Made inner;
  when_code_runs_next([&] {
    other = std::thread([&] { EXPECT_TRUE(ok(registry.open("INNER").answer)); });
    ::usleep(200000);
    inner = registry.open("INNER");
  });
  void *handle = ::dlopen(outer.c_str(), RTLD_NOW | RTLD_LOCAL);  // not through the registry
  ASSERT_NE(handle, nullptr);
  EXPECT_TRUE(ok(inner.answer));
  other.join();
  ::dlclose(handle);
}

TEST(Loading, T8_ConstructorRescansWhileAnotherThreadDoes) {
  const TempDir dir;
  dir.drop(built("good"), "good.so");
  const Registry registry(Configuration{{dir.path()}, 0, BKR_LOG_OFF, {}, true, true});
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) EXPECT_TRUE(ok(registry.rescan()));
  });
  Answer inside;
  when_code_runs_next([&] {
    for (int i = 0; i < 20; ++i) inside = registry.rescan();
  });
  EXPECT_TRUE(ok(registry.open("GOOD").answer));
  EXPECT_TRUE(ok(inside));
  stop = true;
  other.join();
}

TEST(Loading, T9_LogFunctionMayCallTheRegistry) {
  const TempDir dir;
  dir.drop(built("undefined"), "bad.so");
  dir.drop(built("good").named("OTHER"), "other.so");
  dir.drop(built("good").named("OTHER"), "other_again.so");  // a warning when the registry is opened
  struct Host {
    bkr_registry *registry = nullptr;
    int calls = 0;
  } host;
  const std::string path = dir.path();
  const char *search = path.c_str();
  bkr_config config = {};
  config.struct_size = sizeof config;
  config.flags = BKR_CONFIG_NO_DEFAULT_DIRS;
  config.search_dirs = &search;
  config.search_dir_count = 1;
  config.log_user = &host;
  config.log = [](void *user, int32_t, const char *, std::size_t) {
    auto *self = static_cast<Host *>(user);
    ++self->calls;
    if (!self->registry || self->calls > 10) return;
    bkr_registry_rescan(self->registry, nullptr);
    bkr_family *family = nullptr;
    bkr_family_find(self->registry, "attention", &family, nullptr);
    const std::string name = "FROM_LOG_" + std::to_string(self->calls);
    EXPECT_EQ(bkr_member_register(family, name.c_str(), "x.Y", nullptr, nullptr), BKR_OK);
    bkr_backend *backend = nullptr;
    EXPECT_EQ(bkr_backend_open(self->registry, "attention", "OTHER", nullptr, 0, &backend, nullptr), BKR_OK);
    bkr_backend_destroy(backend);
  };
  const Child child = in_child([&] {
    ASSERT_EQ(bkr_registry_open(&config, &host.registry, nullptr), BKR_OK);
    EXPECT_EQ(host.calls, 1);
    EXPECT_EQ(bkr_backend_open(host.registry, "attention", "GOOD", nullptr, 0, nullptr, nullptr), BKR_INVALID_ARGUMENT);
    bkr_backend *backend = nullptr;
    EXPECT_EQ(bkr_backend_open(host.registry, "attention", "GOOD", nullptr, 0, &backend, nullptr), BKR_LOAD_FAILED);
    EXPECT_GT(host.calls, 1);
    bkr_registry_close(host.registry);
  });
  EXPECT_TRUE(child.ended_well());
}

TEST(Loading, T9_LogFunctionMayTryAFailedInitAgain) {
  const TempDir dir;
  dir.drop(built("twin_a"), "twin.so");
  struct Host {
    bkr_backend *backend = nullptr;
    bkr_status again = BKR_OK;
  } host;
  const std::string path = dir.path();
  const char *search = path.c_str();
  bkr_config config = {};
  config.struct_size = sizeof config;
  config.flags = BKR_CONFIG_NO_DEFAULT_DIRS;
  config.search_dirs = &search;
  config.search_dir_count = 1;
  config.log_user = &host;
  config.log = [](void *user, int32_t, const char *, std::size_t) {
    auto *self = static_cast<Host *>(user);
    self->again = bkr_backend_init(self->backend, nullptr, nullptr);
  };
  bkr_registry *registry = nullptr;
  ASSERT_EQ(bkr_registry_open(&config, &registry, nullptr), BKR_OK);
  const bkr_option option = {"throw", "init"};
  ASSERT_EQ(bkr_backend_open(registry, "attention", "TWIN_A", &option, 1, &host.backend, nullptr), BKR_OK);
  EXPECT_EQ(bkr_backend_init(host.backend, nullptr, nullptr), BKR_PLUGIN_EXCEPTION);
  EXPECT_EQ(host.again, BKR_PLUGIN_EXCEPTION);
  bkr_backend_destroy(host.backend);
  bkr_registry_close(registry);
}

// What a create function of the host's own was given.
struct Given {
  const bkr_host *host = nullptr;
  const void *service = nullptr;
};

bkr_status BKR_CALL take_service(const bkr_create_args *args, bkr_backend **, bkr_error *error) {
  auto *given = static_cast<Given *>(args->user);
  given->host = args->host;
  return args->host_api->get_service(args->host, BKR_REGISTRY_SERVICE_1, &given->service, error);
}

TEST(Loading, T8_ServiceIsTheCoresOwnAndEndsWithTheRegistry) {
  const TempDir dir;
  dir.drop(built("good"), "good.so");
  const int fake = 0;
  Registry registry(Configuration{{dir.path()}, 0, 0, {{BKR_REGISTRY_SERVICE_1, &fake}}});
  Given given;
  ASSERT_EQ(bkr_provide(registry.family(), path_of("GIVEN").c_str(), take_service, &given, nullptr), BKR_OK);
  ASSERT_EQ(bkr_member_register(registry.family(), "GIVEN", path_of("GIVEN").c_str(), nullptr, nullptr), BKR_OK);
  const Made keeps_the_host = registry.open("GOOD");
  registry.open("GIVEN");
  ASSERT_NE(given.service, nullptr);
  ASSERT_NE(given.service, &fake);

  const auto &service = *static_cast<const bkr_registry_service_1 *>(given.service);
  const auto find = [&](const char *family, const char *name) {
    bkr_member *member = nullptr;
    return say([&](bkr_error *error) { return service.find(given.host, family, name, &member, error); });
  };
  EXPECT_TRUE(ok(find("attention", "GOOD")));
  EXPECT_TRUE(failed(find("attention", "GOOT"), BKR_UNKNOWN_NAME, BKR_STAGE_NONE, {"'GOOT'", "GOOD"}));
  EXPECT_TRUE(failed(find("attentoin", "GOOD"), BKR_UNKNOWN_FAMILY, BKR_STAGE_NONE, {"attentoin"}));
  EXPECT_TRUE(failed(find("attention", nullptr), BKR_INVALID_ARGUMENT, BKR_STAGE_NONE, {"name is NULL"}));
  {
    const Variable disable("BKR_DISABLE", "off.so");
    const std::string off = dir.drop(built("good").named("OFF"), "off.so");
    ASSERT_TRUE(ok(registry.rescan()));
    EXPECT_TRUE(failed(find("attention", "OFF"), BKR_UNKNOWN_NAME, BKR_STAGE_NONE, {"'OFF'", off, "BKR_DISABLE"}));
  }
  registry.close();
  EXPECT_TRUE(failed(find("attention", "GOOD"), BKR_WRONG_STATE, BKR_STAGE_NONE, {"attention.GOOD", "closed"}));
}

}  // namespace
}  // namespace loading
