// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_API_CPP_BACKENDS_H
#define BKR_TESTS_API_CPP_BACKENDS_H

// Backends in C++ for the tests: they have names of their own, because register_backend makes paths of them.

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "backend_registry/plugin.hpp"

namespace api_test {

#define BKR_TEST_DOUBLER "test.doubler/1"

struct doubler_params {
  uint32_t struct_size;
  int32_t in;
  int32_t *out;
};

struct doubler {
  uint32_t struct_size;
  uint32_t flags;
  bkr_status(BKR_CALL *run)(bkr_backend *, const doubler_params *, void *stream, bkr_error *);
  bkr_status(BKR_CALL *ask)(bkr_backend *, const doubler_params *, void *stream, bkr_error *);
};

// A backend with a table of kernels, and a member of each kind that method takes.
class Doubler : public bkr::plugin_backend {
 public:
  const char *name() const noexcept override { return "DOUBLER"; }

  void init(const bkr_device &device) override {
    if (device.device_type != 1) throw bkr::error(BKR_INIT_FAILED, "only a CPU will do");
    initialised = true;
  }

  const void *get_interface(std::string_view id) override {
    static constexpr doubler table = {sizeof(doubler), 0, bkr::method<&Doubler::run>, bkr::method<&Doubler::ask>};
    return id == BKR_TEST_DOUBLER ? &table : nullptr;
  }

  void run(const doubler_params &params, void *) {
    if (params.out == nullptr) throw bkr::error(BKR_INVALID_ARGUMENT, "out is NULL");
    if (params.in < 0) throw std::runtime_error("negative");
    if (params.in == 99) throw 99;
    *params.out = 2 * params.in;
    ++runs;
  }

  void ask(const doubler_params &params, void *) const noexcept { *params.out = runs; }

  bool initialised = false;
  int runs = 0;
};

// Counts its objects, and sees what it is made from.
class Observed : public bkr::plugin_backend {
 public:
  explicit Observed(const bkr::create_args &args)
      : family(args.family()),
        backend_name(args.backend_name()),
        path(args.path()),
        threads(args.options().find("threads").value_or("not given")) {
    args.host().log(BKR_LOG_INFO, "observed is made");
    ++alive;
    last = this;
  }
  ~Observed() override {
    --alive;
    last = nullptr;
  }
  const char *name() const noexcept override { return "OBSERVED"; }
  using bkr::plugin_backend::host;

  static constexpr bool concurrent = true;
  static inline int alive = 0;
  static inline Observed *last = nullptr;

  std::string family, backend_name, path, threads;
};

// Knows one fact.
class Choosy : public bkr::plugin_backend {
 public:
  const char *name() const noexcept override { return "CHOOSY"; }
  void validate(const bkr::options &facts, bkr::reasons &against) override {
    for (const bkr_option &fact : facts) {
      if (std::string_view(fact.key) != "head_size") {
        against.add_unknown(fact);
      } else if (std::string_view(fact.value) != "128") {
        against.add("head_size not supported");
      }
    }
  }
};

// Fails where it is told to.
class Broken : public bkr::plugin_backend {
 public:
  Broken() {
    if (in_constructor) in_constructor();
  }
  ~Broken() noexcept(false) override {
    if (in_destructor) in_destructor();
  }
  const char *name() const noexcept override { return "BROKEN"; }
  void validate(const bkr::options &, bkr::reasons &) override { throw std::logic_error("cannot say"); }
  void init(const bkr_device &) override { throw std::bad_alloc(); }
  const void *get_interface(std::string_view) override { throw bkr::error(BKR_DENIED, "not today", 7, 13); }

  static inline std::function<void()> in_constructor, in_destructor;
};

}  // namespace api_test

#endif  // BKR_TESTS_API_CPP_BACKENDS_H
