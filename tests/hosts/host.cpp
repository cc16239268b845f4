// SPDX-License-Identifier: Apache-2.0
#include <backend_registry/interfaces/attention.h>

#include <backend_registry/backend_registry.hpp>
#include <iostream>

int main() try {
  const bkr::registry registry = bkr::registry::open();
  const bkr::member member = registry.find_family("attention").find_member("CPU_ATTN");
  std::cout << member.name() << " leads to " << member.path() << '\n';

  const bkr::backend backend = member.load().create();
  const auto *attention = backend.get_interface<bkr_attention_1>(BKR_ATTENTION_1);
  int64_t shape[BKR_KV_CACHE_MAX_DIMS];
  int32_t ndim = 0;
  const bkr_attention_kv_cache_params sizes = {sizeof(sizes), 0, 1024, 16, 8, 128, 0, shape, &ndim};
  backend.call(attention->kv_cache_shape, sizes);
  std::cout << backend.name() << " is ready; it wants a cache of [";
  for (int32_t i = 0; i < ndim; ++i) std::cout << (i > 0 ? ", " : "") << shape[i];
  std::cout << "]\n";
} catch (const bkr::error &error) {
  std::cerr << bkr::status_name(error.status()) << ": " << error.what() << '\n';
  return 1;
}
