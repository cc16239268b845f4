// SPDX-License-Identifier: Apache-2.0
// own_family_host: adds a family of its own, "sampler", and uses the template plugin in C, which is a backend of it.
// The directory of the plugin stands in BKR_PLUGIN_PATH.
#include <backend_registry/backend_registry.hpp>
#include <iostream>

struct sampler_1 {
  uint32_t struct_size, flags;
  uint32_t (*pick)(bkr_backend *backend, const float *logits, uint32_t count);
};

int main() try {
  const bkr::registry registry = bkr::registry::open();
  const bkr::family sampler = registry.add_family("sampler", "sampler backend");
  const bkr::member greedy = sampler.find_member("GREEDY");
  std::cout << "GREEDY leads to " << greedy.path() << ", provided by " << greedy.resolve().plugin_id << '\n';

  const bkr::backend backend = greedy.load().create();
  const auto *table = backend.get_interface<sampler_1>("example.sampler/1");
  const float logits[] = {0.1f, 2.5f, -1.0f};
  std::cout << backend.name() << " picks token " << table->pick(backend.handle(), logits, 3) << '\n';
} catch (const bkr::error &error) {
  std::cerr << bkr::status_name(error.status()) << ": " << error.what() << '\n';
  return 1;
}
