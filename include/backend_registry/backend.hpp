// SPDX-License-Identifier: Apache-2.0
#ifndef BACKEND_REGISTRY_BACKEND_HPP
#define BACKEND_REGISTRY_BACKEND_HPP

// For hosts: a backend in use, and the factory that makes it. How to come by a factory: registry.hpp.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detail/call.hpp"
#include "detail/text.hpp"
#include "registry.h"

namespace bkr {

// One instance made by a factory; destroyed with this object. Texts of a plugin are kept up to 8 KiB.
class backend {
 public:
  backend() noexcept = default;  // none
  explicit backend(bkr_backend *owned) noexcept : handle_(owned) {}
  backend(backend &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  backend &operator=(backend &&other) noexcept {
    backend taken(std::move(other));
    std::swap(handle_, taken.handle_);
    return *this;
  }
  ~backend() { bkr_backend_destroy(handle_); }

  explicit operator bool() const noexcept { return handle_ != nullptr; }
  bkr_backend *handle() const noexcept { return handle_; }
  bkr_backend *release() noexcept { return std::exchange(handle_, nullptr); }  // the caller destroys it

  // What it calls itself.
  std::string_view name() const noexcept {
    const char *found = bkr_backend_name(handle_);
    return found == nullptr ? std::string_view() : found;
  }

  // The reasons why it cannot serve the facts; none if it can.
  std::vector<std::string> validate(const std::vector<bkr_option> &facts) const {
    struct collector {
      std::vector<std::string> reasons;
      bool complete = true;
    } found;
    const bkr_reason_fn add = [](void *user, const char *reason) {
      collector *const into = static_cast<collector *>(user);
      try {
        into->reasons.emplace_back(reason);
      } catch (...) {  // must not reach the plugin
        into->complete = false;
      }
    };
    detail::check_once([&](bkr_error *failure) {
      found.reasons.clear();
      return bkr_backend_validate(handle_, facts.data(), static_cast<uint32_t>(facts.size()), add, &found, failure);
    });
    if (!found.complete) throw error(BKR_OUT_OF_MEMORY, "out of memory while reasons were collected");
    return std::move(found.reasons);
  }

  // Prepares it for the CPU, or for a device: once, before the first kernel.
  void init() {
    detail::check_once([&](bkr_error *failure) { return bkr_backend_init(handle_, nullptr, failure); });
  }
  void init(int32_t device_type, int32_t device_id) {
    const bkr_device device = {sizeof(bkr_device), device_type, device_id, 0};
    detail::check_once([&](bkr_error *failure) { return bkr_backend_init(handle_, &device, failure); });
  }

  // Its table of kernels by id, never NULL; lives as long as the backend. Table is the struct that belongs to id.
  template <class Table>
  const Table *get_interface(const text &id) const {
    const void *table = nullptr;
    detail::check_once(
        [&](bkr_error *failure) { return bkr_backend_get_interface(handle_, id.c_str(), &table, failure); });
    return static_cast<const Table *>(table);
  }

  // Calls a function of a table, and throws its failure: backend.call(attention->forward, params).
  template <class Params>
  void call(bkr_status(BKR_CALL *kernel)(bkr_backend *, const Params *, void *, bkr_error *), const Params &params,
            void *stream = nullptr) const {
    detail::check_once([&](bkr_error *failure) { return kernel(handle_, &params, stream, failure); });
  }

 private:
  bkr_backend *handle_ = nullptr;
};

// A loaded target.
class factory {
 public:
  explicit factory(bkr_factory *borrowed) noexcept : handle_(borrowed) {}
  bkr_factory *handle() const noexcept { return handle_; }

  // Makes a backend: create(), or create({{"threads", "4"}}).
  backend create(const std::vector<bkr_option> &options = {}) const {
    bkr_backend *made = nullptr;
    detail::check_once([&](bkr_error *failure) {
      return bkr_factory_create(handle_, options.data(), static_cast<uint32_t>(options.size()), &made, failure);
    });
    return backend(made);
  }

 private:
  bkr_factory *handle_;
};

}  // namespace bkr

#endif  // BACKEND_REGISTRY_BACKEND_HPP
