// SPDX-License-Identifier: Apache-2.0
#ifndef BACKEND_REGISTRY_PLUGIN_HPP
#define BACKEND_REGISTRY_PLUGIN_HPP

// For authors of plugins, in C++17. A plugin is one shared library: derive a class from bkr::plugin_backend, or from
// the class of an interface in interfaces/*.hpp, and write one macro beside it.
//
//     class Mine : public bkr::attention_backend { … };
//     BKR_CPP_PLUGIN(Mine, "org.example.mine", "1.0.0", "attention", "MINE", "org.example.Mine", BKR_ATTENTION_1);
//
// Build it with backend_add_plugin() (CMake), or with `c++ -std=c++17 -shared -fPIC -fvisibility=hidden`. It links
// nothing of libbackend_registry.

#include "abilities.hpp"
#include "descriptor.h"
#include "detail/boundary.hpp"
#include "plugin_backend.hpp"

namespace bkr {

// A member function `void f(const Params &, void *stream)` of a backend as a C function for a table of kernels,
// `bkr_status f(bkr_backend *, const Params *, void *stream, bkr_error *)`: it checks params and its struct_size, and
// stops exceptions. Params begins with `uint32_t struct_size`.
//
//     static constexpr my_table table = {sizeof(my_table), 0, bkr::method<&Mine::forward>};
template <auto Method>
inline constexpr auto method = &detail::kernel<Method>::call;

}  // namespace bkr

// A create function that makes a Class, under a name of its own: for libraries with several backends, which list
// them in one BKR_PLUGIN (descriptor.h). At namespace scope.
#define BKR_CREATE_FUNCTION(symbol, Class)                                                             \
  extern "C" BKR_EXPORT bkr_status BKR_CALL symbol(const bkr_create_args *args, bkr_backend **backend, \
                                                   bkr_error *error) {                                 \
    return ::bkr::detail::boundary::create<Class>(args, backend, error);                               \
  }

// A plugin with one backend, for any CPU. All but Class are string literals (descriptor.h says how long each may be).
#define BKR_CPP_PLUGIN(Class, plugin_id, version, family, name, path, interface_id) \
  BKR_CREATE_FUNCTION(create_backend, Class)                                        \
  BKR_PLUGIN(plugin_id, version, BKR_BACKEND(family, name, path, create_backend, interface_id, "", 0))

#endif  // BACKEND_REGISTRY_PLUGIN_HPP
