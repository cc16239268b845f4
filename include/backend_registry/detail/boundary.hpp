// SPDX-License-Identifier: Apache-2.0
#ifndef BACKEND_REGISTRY_DETAIL_BOUNDARY_HPP
#define BACKEND_REGISTRY_DETAIL_BOUNDARY_HPP

// Between a plugin_backend and the C ABI: the functions of the ABI's table, written once for all backends. Nothing
// that a backend throws gets past them.

#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <type_traits>

#include "../plugin_backend.hpp"

// Kept out of a plugin's exports whatever it is compiled with: a plugin must never call another one's copy.
#if defined(_WIN32)
#define BKR_DETAIL_HIDDEN
#else
#define BKR_DETAIL_HIDDEN __attribute__((visibility("hidden")))
#endif

namespace bkr::detail {

// Puts the exception being handled into words. Only to be called in a catch block.
BKR_DETAIL_HIDDEN inline bkr_status write_exception(bkr_error *target) noexcept {
  try {
    throw;
  } catch (const error &failure) {
    const bkr_status status = failure.status() == BKR_OK ? BKR_PLUGIN_EXCEPTION : failure.status();
    return write_error(target, status, {failure.what()}, failure.stage(), failure.native_code());
  } catch (const std::bad_alloc &) {
    return write_error(target, BKR_OUT_OF_MEMORY, {"out of memory"});
  } catch (const std::exception &failure) {
    return write_error(target, BKR_PLUGIN_EXCEPTION, {failure.what()});
  } catch (...) {
    return write_error(target, BKR_PLUGIN_EXCEPTION, {"an exception that is no std::exception"});
  }
}

template <class Body>
BKR_DETAIL_HIDDEN bkr_status guarded(bkr_error *target, const Body &body) noexcept {
  try {
    body();
    return BKR_OK;
  } catch (...) {
    return write_exception(target);
  }
}

// The rule of struct_size: at least as long as the first version, and zero where it is longer than known.
template <class Request>
BKR_DETAIL_HIDDEN void check_request(const Request *request, const char *what) {
  static_assert(std::is_standard_layout_v<Request> && std::is_trivially_copyable_v<Request>);
  static_assert(std::is_same_v<decltype(Request::struct_size), uint32_t> && offsetof(Request, struct_size) == 0,
                "a parameter struct begins with uint32_t struct_size");
  if (request == nullptr) throw error(BKR_INVALID_ARGUMENT, std::string(what) + " is NULL");
  const uint32_t size = request->struct_size;
  if (size < sizeof(Request)) {
    throw error(BKR_INVALID_ARGUMENT, std::string(what) + ".struct_size is " + std::to_string(size) + ", at least " +
                                          std::to_string(sizeof(Request)) + " is needed");
  }
  const unsigned char *const bytes = reinterpret_cast<const unsigned char *>(request);
  for (std::size_t i = sizeof(Request); i < size; ++i) {
    if (bytes[i] == 0) continue;
    throw error(BKR_INVALID_ARGUMENT, std::string(what) + " has a field of a later version set (byte " +
                                          std::to_string(i) + " of " + std::to_string(size) +
                                          "), which this backend does not know");
  }
}

// A backend as the ABI sees it: its head, and behind it where the object is.
struct shell {
  bkr_backend head;
  plugin_backend *object;
};
static_assert(std::is_standard_layout_v<shell> && offsetof(shell, head) == 0);

struct BKR_DETAIL_HIDDEN boundary {
  static plugin_backend &object_of(const bkr_backend *backend) noexcept {
    return *reinterpret_cast<const shell *>(backend)->object;
  }

  static const char *BKR_CALL name(const bkr_backend *backend) noexcept { return object_of(backend).name(); }

  static bkr_status BKR_CALL validate(bkr_backend *backend, const bkr_option *facts, uint32_t count, bkr_reason_fn emit,
                                      void *user, bkr_error *target) noexcept {
    return guarded(target, [&] {
      if (facts == nullptr && count > 0) throw error(BKR_INVALID_ARGUMENT, "facts is NULL");
      reasons against(emit, user);
      object_of(backend).validate(options(facts, count), against);
    });
  }

  static bkr_status BKR_CALL init(bkr_backend *backend, const bkr_device *device, bkr_error *target) noexcept {
    return guarded(target, [&] {
      const bkr_device cpu = {sizeof(bkr_device), 1, 0, 0};
      if (device != nullptr) check_request(device, "device");
      object_of(backend).init(device == nullptr ? cpu : *device);
    });
  }

  static bkr_status BKR_CALL get_interface(bkr_backend *backend, const char *id, const void **table,
                                           bkr_error *target) noexcept {
    return guarded(target, [&] {
      if (id == nullptr || table == nullptr) throw error(BKR_INVALID_ARGUMENT, "id or table is NULL");
      const void *const found = object_of(backend).get_interface(id);
      if (found == nullptr) {
        throw error(BKR_UNSUPPORTED, std::string(object_of(backend).name()) + " has no interface '" + id + "'");
      }
      *table = found;
    });
  }

  static void BKR_CALL destroy(bkr_backend *backend) noexcept {
    shell *const face = reinterpret_cast<shell *>(backend);
    const host home = face->object->host_;
    char text[512];
    bkr_error failure = {sizeof(bkr_error), 0, 0, sizeof(text), text, 0, 0};
    if (guarded(&failure, [&] { delete face->object; }) != BKR_OK) {
      home.log(BKR_LOG_ERR, "the destructor of a backend threw, and was stopped:");
      home.log(BKR_LOG_ERR, text);
    }
    delete face;
  }

  template <bool concurrent>
  static const bkr_backend_api *table() noexcept {
    static constexpr bkr_backend_api api = {sizeof(bkr_backend_api),
                                            concurrent ? BKR_BACKEND_CONCURRENT : 0u,
                                            name,
                                            validate,
                                            init,
                                            get_interface,
                                            destroy};
    return &api;
  }

  // Makes a T. All that create_backend and its like do.
  template <class T>
  static bkr_status BKR_CALL create(const bkr_create_args *args, bkr_backend **backend, bkr_error *target) noexcept {
    static_assert(std::is_base_of_v<plugin_backend, T>, "a backend derives from bkr::plugin_backend");
    static_assert(!std::is_abstract_v<T>, "a function of the backend is still missing (it is abstract)");
    static_assert(std::is_constructible_v<T, const create_args &> || std::is_default_constructible_v<T>,
                  "a backend is constructed without arguments or from a bkr::create_args");
    return guarded(target, [&] {
      check_request(args, "args");
      if (backend == nullptr) throw error(BKR_INVALID_ARGUMENT, "backend is NULL");
      auto face = std::make_unique<shell>();
      if constexpr (std::is_constructible_v<T, const create_args &>) {
        face->object = new T(create_args(*args));
      } else {
        face->object = new T();
      }
      face->object->host_ = host(args->host_api, args->host);
      face->head.api = table<T::concurrent>();
      *backend = &face.release()->head;
    });
  }
};

// A member function as a function of a table of kernels.
template <auto Method, class Signature = decltype(Method)>
struct kernel;

template <auto Method, class Class, class Params, bool is_noexcept>
struct kernel<Method, void (Class::*)(const Params &, void *) noexcept(is_noexcept)> {
  static_assert(std::is_base_of_v<plugin_backend, Class>, "a kernel is a member of a bkr::plugin_backend");

  BKR_DETAIL_HIDDEN static bkr_status BKR_CALL call(bkr_backend *backend, const Params *params, void *stream,
                                                    bkr_error *target) noexcept {
    return guarded(target, [&] {
      if (backend == nullptr) throw error(BKR_INVALID_ARGUMENT, "backend is NULL");
      check_request(params, "params");
      (static_cast<Class &>(boundary::object_of(backend)).*Method)(*params, stream);
    });
  }
};

template <auto Method, class Class, class Params, bool is_noexcept>
struct kernel<Method, void (Class::*)(const Params &, void *) const noexcept(is_noexcept)>
    : kernel<Method, void (Class::*)(const Params &, void *)> {};

}  // namespace bkr::detail

#endif  // BACKEND_REGISTRY_DETAIL_BOUNDARY_HPP
