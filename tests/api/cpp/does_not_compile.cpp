// SPDX-License-Identifier: Apache-2.0
// Each case below must be refused by the compiler with the text that CMakeLists.txt says; GOOD must compile.
#include "backend_registry/backend_registry.hpp"

#define NAME() \
  const char *name() const noexcept override { return "X"; }

struct Global : bkr::plugin_backend {
  NAME()
};

namespace app {
struct Good : bkr::plugin_backend {
  NAME()
};
struct Abstract : bkr::plugin_backend {};
struct NoBackend {};
struct NeedsArgument : bkr::plugin_backend {
  explicit NeedsArgument(int) {}
  NAME()
};
template <class>
struct Templated : bkr::plugin_backend {
  NAME()
};
namespace {
struct Hidden : bkr::plugin_backend {
  NAME()
};
}  // namespace
struct : bkr::plugin_backend{NAME()} unnamed;
struct no_size {
  int32_t x;
};
struct Kernels : bkr::plugin_backend {
  NAME()
  void params_without_struct_size(const no_size &, void *) {}
  int returns_something(const bkr_device &, void *) { return 0; }
};
}  // namespace app

void use(bkr::family family) {
  struct Local : bkr::plugin_backend {
    NAME()
  };
#if defined(GOOD)
  bkr::register_backend<app::Good>(family, "X");
#elif defined(GLOBAL)
  bkr::register_backend<Global>(family, "X");
#elif defined(ABSTRACT)
  bkr::register_backend<app::Abstract>(family, "X");
#elif defined(NO_BACKEND)
  bkr::register_backend<app::NoBackend>(family, "X");
#elif defined(NEEDS_ARGUMENT)
  bkr::register_backend<app::NeedsArgument>(family, "X");
#elif defined(TEMPLATED)
  bkr::register_backend<app::Templated<int> >(family, "X");
#elif defined(HIDDEN)
  bkr::register_backend<app::Hidden>(family, "X");
#elif defined(UNNAMED)
  bkr::register_backend<decltype(app::unnamed)>(family, "X");
#elif defined(LOCAL)
  bkr::register_backend<Local>(family, "X");
#elif defined(LOCAL_MEMBER)
  bkr::register_backend<Local>(family.find_member("CUSTOM"));
#elif defined(NO_STRUCT_SIZE)
  auto kernel = bkr::method<&app::Kernels::params_without_struct_size>;
#elif defined(RETURNS_SOMETHING)
  auto kernel = bkr::method<&app::Kernels::returns_something>;
#elif defined(COPIED_REGISTRY)
  bkr::registry first = bkr::registry::open();
  bkr::registry second = first;
#elif defined(COPIED_BACKEND)
  bkr::backend first;
  bkr::backend second = first;
#endif
}
