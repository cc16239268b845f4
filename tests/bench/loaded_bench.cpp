// SPDX-License-Identifier: Apache-2.0
// What remains once a plugin is loaded: asking for its factory again, and calling its functions, beside a virtual
// function of a library that does the same.
#include <backend_registry/registry.h>
#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "rivals/plugins/table.h"

namespace {

void expect(bool fine, const char *what) {
  if (fine) return;
  std::fprintf(stderr, "loaded_bench: %s failed\n", what);
  std::exit(1);
}

struct Loaded {
  Loaded() {
    const char *const file = BKR_BENCH_PLAIN_PLUGIN "::create_backend";
    bkr_config config{};
    config.struct_size = sizeof config;
    config.flags = BKR_CONFIG_NO_ENVIRONMENT | BKR_CONFIG_NO_DEFAULT_DIRS;
    expect(bkr_registry_open(&config, &registry, nullptr) == BKR_OK, "bkr_registry_open");
    expect(bkr_family_find(registry, "attention", &family, nullptr) == BKR_OK, "bkr_family_find");
    expect(bkr_member_register(family, "RIVAL", file, &member, nullptr) == BKR_OK, "bkr_member_register");
    bkr_factory *factory = nullptr;
    expect(bkr_member_load(member, &factory, nullptr) == BKR_OK, "bkr_member_load");
    expect(bkr_factory_create(factory, nullptr, 0, &backend, nullptr) == BKR_OK, "bkr_factory_create");
    const void *found = nullptr;
    expect(bkr_backend_get_interface(backend, RIVALS_TABLE, &found, nullptr) == BKR_OK, "bkr_backend_get_interface");
    table = static_cast<const rivals_table *>(found);
  }
  bkr_registry *registry = nullptr;
  bkr_family *family = nullptr;
  bkr_member *member = nullptr;
  bkr_backend *backend = nullptr;
  const rivals_table *table = nullptr;
};

Loaded &loaded() {
  static auto *const made = new Loaded();
  return *made;
}

void factory_by_name(benchmark::State &state) {
  const Loaded &l = loaded();
  for (auto _ : state) {
    bkr_member *member = nullptr;
    bkr_factory *factory = nullptr;
    bkr_member_find(l.family, "RIVAL", &member, nullptr);
    expect(bkr_member_load(member, &factory, nullptr) == BKR_OK, "bkr_member_load");
    benchmark::DoNotOptimize(factory);
  }
}

void factory_by_handle(benchmark::State &state) {
  const Loaded &l = loaded();
  for (auto _ : state) {
    bkr_factory *factory = nullptr;
    expect(bkr_member_load(l.member, &factory, nullptr) == BKR_OK, "bkr_member_load");
    benchmark::DoNotOptimize(factory);
  }
}

void call_through_table(benchmark::State &state) {
  const Loaded &l = loaded();
  for (auto _ : state) benchmark::DoNotOptimize(l.table->add(l.backend, 1));
}

void call_virtual(benchmark::State &state) {
  void *library = dlopen(BKR_BENCH_VIRTUAL_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  expect(library != nullptr, "dlopen");
  const auto create = reinterpret_cast<rivals::Sum *(*)()>(dlsym(library, "create_sum"));
  expect(create != nullptr, "dlsym");
  rivals::Sum *sum = create();
  for (auto _ : state) benchmark::DoNotOptimize(sum->add(1));
  delete sum;
}

BENCHMARK(factory_by_name);
BENCHMARK(factory_by_handle);
BENCHMARK(call_through_table);
BENCHMARK(call_virtual);

}  // namespace

BENCHMARK_MAIN();
