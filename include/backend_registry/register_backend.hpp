// SPDX-License-Identifier: Apache-2.0
#ifndef BACKEND_REGISTRY_REGISTER_BACKEND_HPP
#define BACKEND_REGISTRY_REGISTER_BACKEND_HPP

// For hosts: a class of their own as a backend, without a plugin.
//
//     namespace app { class Mine : public bkr::attention_backend { … }; }
//     bkr::register_backend<app::Mine>(attention, "MINE");                            // a new name
//     bkr::register_backend<app::Mine>(attention.find_member("FLASH_ATTN"));          // in place of a backend
//
// Both provide the class in-process under the path app.Mine, its qualified name with '::' written as '.', and put
// that path into force for the member. The class derives from bkr::plugin_backend and is made as plugin_backend.hpp
// says. It must have a qualified name: local classes, classes without a name or in a namespace without a name,
// classes made from templates, and those of the global namespace do not compile. (A class nested in a local class
// compiles with clang, which does not tell.) Inline namespaces are part of the name for gcc, but not for clang.
//
// The class's code must stay as long as the registry and its backends: do not unload a library that registered one.

#include "detail/boundary.hpp"
#include "detail/type_path.hpp"
#include "registry.hpp"

namespace bkr {

// The qualified path of a class, e.g. "app.Mine".
template <class T>
constexpr const char *path_of() noexcept {
  return detail::type_path<T>::value.data();
}

namespace detail {

inline bool is_provided_in_process(family in, const char *path) noexcept {
  bkr_target target = {};
  target.struct_size = sizeof(target);
  return bkr_path_resolve(in.handle(), path, &target, nullptr) == BKR_OK && target.provider == BKR_PROVIDER_IN_PROCESS;
}

inline bool is_in_force(family in, std::string_view path) noexcept {
  for (uint32_t i = 0; const bkr_member *at = bkr_family_member_at(in.handle(), i); ++i) {
    const char *its = nullptr;
    if (bkr_member_path(at, &its, nullptr) == BKR_OK && path == its) return true;
  }
  return false;
}

// Provides T, and takes that back if the step fails that makes use of it, unless others use it.
template <class T, class Step>
auto provide_and(family in, const Step &step) {
  constexpr const char *path = path_of<T>();
  const bool was_provided = is_provided_in_process(in, path);
  in.provide(path, &boundary::create<T>);
  try {
    return step(path);
  } catch (...) {
    if (!was_provided && !is_in_force(in, path)) bkr_provide(in.handle(), path, nullptr, nullptr, nullptr);
    throw;
  }
}

}  // namespace detail

// Creates a member with the class as its backend, overridden with the class's path. All or nothing: after an error
// (BKR_ALREADY_EXISTS, BKR_INVALID_NAME, …) there is neither a member nor a provider. Any thread.
template <class T>
member register_backend(family in, const text &name) {
  return detail::provide_and<T>(in, [&](const char *path) { return in.register_backend(name, path); });
}

// Makes the class the backend of a member; member::clear_override takes it back. Any thread.
template <class T>
member register_backend(member of) {
  return detail::provide_and<T>(of.family(), [&](const char *path) {
    of.override_path(path);
    return of;
  });
}

}  // namespace bkr

#endif  // BACKEND_REGISTRY_REGISTER_BACKEND_HPP
