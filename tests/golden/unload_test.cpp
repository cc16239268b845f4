// SPDX-License-Identifier: Apache-2.0
// Taking a library out of memory, and what is left when a registry was closed.
#include <backend_registry/services/registry.h>
#include <dlfcn.h>

#include "golden.h"

namespace golden {
namespace {

class Unload : public Golden {
 protected:
  Configuration allowed() const { return {{dir.path()}, BKR_CONFIG_ALLOW_UNLOAD}; }
  static Answer unload(const Registry &registry, const std::string &file) {
    return say([&](bkr_error *error) { return bkr_library_unload(registry.get(), file.c_str(), error); });
  }
};

TEST_F(Unload, unload_is_not_allowed) {
  const std::string file = dir.drop(built("good"), "good.so");
  const Registry registry(dir);
  ASSERT_TRUE(ok(registry.load("GOOD")));
  expect(unload(registry, file), registry);
}

TEST_F(Unload, unloaded_file_is_not_loaded) {
  const std::string file = dir.drop(built("good"), "good.so");
  const Registry registry(allowed());
  expect(unload(registry, file), registry);
}

TEST_F(Unload, unloaded_file_is_not_found) {
  const Registry registry(allowed());
  expect(unload(registry, dir / "none.so"), registry);
}

TEST_F(Unload, unloaded_file_has_a_backend) {
  const std::string file = dir.drop(built("good"), "good.so");
  const Registry registry(allowed());
  const Made made = registry.open("GOOD");
  expect(unload(registry, file), registry);
}

TEST_F(Unload, unloaded_file_has_two_backends) {
  const std::string file = dir.drop(built("good"), "good.so");
  const Registry registry(allowed());
  const Made one = registry.open("GOOD");
  const Made two = registry.open("GOOD");
  expect(unload(registry, file), registry);
}

TEST_F(Unload, unloaded_file_was_linked_to_stay) {
  const std::string file = dir.drop(built("nodelete"), "good.so");
  const Registry registry(allowed());
  ASSERT_TRUE(ok(registry.load("GOOD")));
  expect(unload(registry, file), registry);
}

TEST_F(Unload, unloaded_file_has_unique_symbols) {
  const std::string file = dir.drop(built("unique"), "unique.so");
  const Registry registry(allowed());
  ASSERT_TRUE(ok(registry.open("UNIQUE").answer));
  expect(unload(registry, file), registry);
}

TEST_F(Unload, unloaded_file_has_thread_local_objects) {
  const std::string file = dir.drop(built("thread_local"), "thread_local.so");
  const Registry registry(allowed());
  ASSERT_TRUE(ok(registry.open("THREAD_LOCAL").answer));
  expect(unload(registry, file), registry);
}

TEST_F(Unload, unloaded_file_is_open_elsewhere) {
  const std::string file = dir.drop(built("good"), "good.so");
  const Registry registry(allowed());
  ASSERT_TRUE(ok(registry.load("GOOD")));
  void *handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  expect(unload(registry, file), registry);
  ::dlclose(handle);
}

// What a create function was given.
struct Given {
  const bkr_host *host = nullptr;
  const void *service = nullptr;
};

bkr_status BKR_CALL take_service(const bkr_create_args *args, bkr_backend **, bkr_error *error) {
  auto *given = static_cast<Given *>(args->user);
  given->host = args->host;
  return args->host_api->get_service(args->host, BKR_REGISTRY_SERVICE_1, &given->service, error);
}

TEST_F(Unload, service_is_asked_after_its_registry_was_closed) {
  dir.drop(built("good"), "good.so");
  Registry registry(dir);
  Given given;
  ASSERT_EQ(bkr_provide(registry.family(), "own.Backend", take_service, &given, nullptr), BKR_OK);
  const Made keeps_the_host = registry.open("GOOD");
  registry.open_path("own.Backend");
  ASSERT_NE(given.service, nullptr);
  registry.close();
  const auto &service = *static_cast<const bkr_registry_service_1 *>(given.service);
  bkr_member *member = nullptr;
  expect(told(say([&](bkr_error *error) { return service.find(given.host, "attention", "GOOD", &member, error); })));
}

}  // namespace
}  // namespace golden
