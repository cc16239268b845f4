// SPDX-License-Identifier: Apache-2.0
// This library, with all its checks, in the default configuration but for the directories that are searched.
#include <backend_registry/registry.h>
#include <malloc.h>

#include "probe.h"

namespace {

using rivals::expect;

// Without BKR_CONFIG_NO_ENVIRONMENT the environment counts, in which the driver asks for the scan cache.
bkr_registry *open_registry(const std::string &directory, uint32_t more_flags = BKR_CONFIG_NO_ENVIRONMENT) {
  const char *const directories[] = {directory.c_str()};
  bkr_config config{};
  config.struct_size = sizeof config;
  config.flags = BKR_CONFIG_NO_DEFAULT_DIRS | more_flags;
  config.search_dirs = directories;
  config.search_dir_count = 1;
  bkr_registry *registry = nullptr;
  expect(bkr_registry_open(&config, &registry, nullptr) == BKR_OK, "bkr_registry_open");
  return registry;
}

// A scan that found less than it should must not pass for a fast one.
void expect_all(bkr_registry *registry, const std::string &directory) {
  for (const std::string &path : rivals::libraries_in(directory)) {
    bkr_family *family = nullptr;
    bkr_member *member = nullptr;
    expect(bkr_family_find(registry, "attention", &family, nullptr) == BKR_OK, "bkr_family_find");
    expect(bkr_member_find(family, rivals::name_in(path).c_str(), &member, nullptr) == BKR_OK, path);
  }
}

double discover_with(const std::string &directory, uint32_t flags) {
  const rivals::Stopwatch watch;
  bkr_registry *registry = open_registry(directory, flags);
  const double ns = watch.ns();
  expect_all(registry, directory);
  return ns;
}
double discover(const std::string &directory) { return discover_with(directory, BKR_CONFIG_NO_ENVIRONMENT); }
double discover_cached(const std::string &directory) { return discover_with(directory, 0); }

double load_each(const std::string &directory, bool unload) {
  const uint32_t flags = unload ? BKR_CONFIG_ALLOW_UNLOAD : 0u;
  bkr_registry *registry = open_registry(directory, BKR_CONFIG_NO_ENVIRONMENT | flags);
  const std::vector<std::string> paths = rivals::libraries_in(directory);
  std::vector<std::string> names;
  for (const std::string &path : paths) names.push_back(rivals::name_in(path));
  const rivals::Stopwatch watch;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    bkr_backend *backend = nullptr;
    expect(bkr_backend_open(registry, "attention", names[i].c_str(), nullptr, 0, &backend, nullptr) == BKR_OK,
           paths[i]);
    bkr_backend_destroy(backend);
    if (unload) expect(bkr_library_unload(registry, paths[i].c_str(), nullptr) == BKR_OK, paths[i]);
  }
  return watch.ns();
}
double load(const std::string &directory) { return load_each(directory, false); }
double load_unload(const std::string &directory) { return load_each(directory, true); }

// Bytes that an open registry holds.
double heap(const std::string &directory) {
  const auto in_use = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };
  open_registry(directory);  // what is made once for the process
  const std::size_t before = in_use();
  open_registry(directory);
  return static_cast<double>(in_use() - before);
}

}  // namespace

int main(int argc, char **argv) {
  return rivals::run(argc, argv,
                     {{"load", load},
                      {"load_unload", load_unload},
                      {"discover", discover},
                      {"discover_cached", discover_cached},
                      {"heap", heap}});
}
