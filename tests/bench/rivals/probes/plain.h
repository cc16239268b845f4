// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_BENCH_RIVALS_PLAIN_H
#define BKR_TESTS_BENCH_RIVALS_PLAIN_H

// The plain plugin, for those that open any library and ask it for its create function. What opens it is the rival.
#include <backend_registry/plugin.h>

#include <utility>

#include "probe.h"

namespace rivals {

using Create = std::remove_pointer_t<bkr_create_backend_fn>;

inline void create_and_destroy(bkr_create_backend_fn create) {
  bkr_create_args args{};
  args.struct_size = sizeof args;
  args.abi_version = BKR_ABI_VERSION;
  args.family = "attention";
  bkr_backend *backend = nullptr;
  expect(create != nullptr && create(&args, &backend, nullptr) == BKR_OK, "create_backend");
  backend->api->destroy(backend);
}

// Library: what a rival calls an open library, made of a path; create() finds the function, close() unmaps. They are
// destroyed after the watch was read.
template <typename Library>
double load(const std::string &directory) {
  const std::vector<std::string> paths = libraries_in(directory);
  std::vector<Library> open;
  open.reserve(paths.size());
  const Stopwatch watch;
  for (const std::string &path : paths) {
    open.emplace_back(path);
    create_and_destroy(open.back().create());
  }
  const double ns = watch.ns();
  new std::vector<Library>(std::move(open));  // stays mapped
  return ns;
}

template <typename Library>
double load_unload(const std::string &directory) {
  const std::vector<std::string> paths = libraries_in(directory);
  const Stopwatch watch;
  for (const std::string &path : paths) {
    Library library(path);
    create_and_destroy(library.create());
    library.close();
  }
  return watch.ns();
}

}  // namespace rivals

#endif  // BKR_TESTS_BENCH_RIVALS_PLAIN_H
