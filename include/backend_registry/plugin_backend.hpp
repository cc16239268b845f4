// SPDX-License-Identifier: Apache-2.0
#ifndef BACKEND_REGISTRY_PLUGIN_BACKEND_HPP
#define BACKEND_REGISTRY_PLUGIN_BACKEND_HPP

// What a backend written in C++ is, and what it may ask: bkr::plugin_backend and the small views it is given.
// Authors of plugins include plugin.hpp, which adds the macros that make a plugin of it.
//
// Exceptions   may leave every function of a backend: they are stopped at the boundary and become a status and a
//              text. bkr::error gives its own status, std::bad_alloc BKR_OUT_OF_MEMORY, all others
//              BKR_PLUGIN_EXCEPTION with what() as the text.
// Lifetime     Views (options, reasons, create_args) end with the call that brought them; host stays valid as long
//              as the backend.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "error.hpp"
#include "plugin.h"

namespace bkr {

namespace detail {
struct boundary;
}

// Settings or facts, as pairs of texts: for (const bkr_option &fact : facts) … fact.key, fact.value.
class options {
 public:
  options() = default;
  options(const bkr_option *first, uint32_t count) noexcept : first_(first), count_(first == nullptr ? 0 : count) {}

  const bkr_option *begin() const noexcept { return first_; }
  const bkr_option *end() const noexcept { return first_ + count_; }
  std::size_t size() const noexcept { return count_; }
  bool empty() const noexcept { return count_ == 0; }

  // The value of a key, the last one if it was given twice; nothing if it was not given.
  std::optional<std::string_view> find(std::string_view key) const noexcept {
    for (std::size_t i = count_; i > 0; --i) {
      if (key == first_[i - 1].key) return first_[i - 1].value;
    }
    return std::nullopt;
  }

 private:
  const bkr_option *first_ = nullptr;
  std::size_t count_ = 0;
};

// Takes the reasons why a backend cannot serve what was asked.
class reasons {
 public:
  reasons(bkr_reason_fn emit, void *user) noexcept : emit_(emit), user_(user) {}

  void add(const std::string &reason) {
    if (emit_ != nullptr) emit_(user_, reason.c_str());
  }

  // For a fact that the backend does not know: it cannot promise to serve it.
  void add_unknown(const bkr_option &fact) {
    add(std::string("unknown requirement ").append(fact.key).append("=").append(fact.value));
  }

 private:
  bkr_reason_fn emit_;
  void *user_;
};

// The host that made the backend. Any thread. A host made by default swallows lines and has no services.
class host {
 public:
  host() = default;
  host(const bkr_host_api *api, const bkr_host *handle) noexcept : api_(api), handle_(handle) {}

  // Writes one line to the host's log; level is a BKR_LOG_… below BKR_LOG_OFF.
  void log(int32_t level, std::string_view text) const noexcept {
    if (api_ != nullptr && api_->log != nullptr) api_->log(handle_, level, text.data(), text.size());
  }

  // A table of functions that the host offers under an id; NULL if it has none by that id.
  template <class Table>
  const Table *find_service(const char *id) const noexcept {
    const void *table = nullptr;
    if (api_ == nullptr || api_->get_service == nullptr) return nullptr;
    if (api_->get_service(handle_, id, &table, nullptr) != BKR_OK) return nullptr;
    return static_cast<const Table *>(table);
  }

  // For the functions of services that want to know who asks. NULL for a host made by default.
  const bkr_host *handle() const noexcept { return handle_; }

 private:
  const bkr_host_api *api_ = nullptr;
  const bkr_host *handle_ = nullptr;
};

// What a backend is made from, for constructors that want to know: Mine(const bkr::create_args &args).
class create_args {
 public:
  explicit create_args(const bkr_create_args &args) noexcept : args_(&args) {}

  std::string_view family() const noexcept { return or_empty(args_->family); }
  std::string_view backend_name() const noexcept { return or_empty(args_->backend_name); }
  std::string_view path() const noexcept { return or_empty(args_->path); }
  bkr::options options() const noexcept { return {args_->options, args_->option_count}; }
  bkr::host host() const noexcept { return {args_->host_api, args_->host}; }

  operator const bkr_create_args &() const noexcept { return *args_; }  // for Mine(const bkr_create_args &)

 private:
  static std::string_view or_empty(const char *text) noexcept { return text == nullptr ? "" : text; }

  const bkr_create_args *args_;
};

// A backend. Derive from it (or from the class of an interface, e.g. bkr::attention_backend), and make it a plugin
// with BKR_CPP_PLUGIN, or a backend of the host's own with bkr::register_backend. It is constructed without
// arguments or from a create_args: cheaply, the heavy work belongs in init. One call at a time is made on a backend,
// different backends are used in parallel.
class plugin_backend {
 public:
  plugin_backend() = default;
  plugin_backend(const plugin_backend &) = delete;
  plugin_backend &operator=(const plugin_backend &) = delete;
  virtual ~plugin_backend() noexcept(false) {}  // an exception here is logged, and swallowed

  // Hide it with true in a class that accepts concurrent calls on one backend.
  static constexpr bool concurrent = false;

  // What the backend calls itself; lives as long as the backend. Any thread.
  virtual const char *name() const noexcept = 0;

  // Adds one reason for each fact that the backend cannot serve, none if it can serve all. By itself a backend
  // knows no fact, so that each is an unknown requirement; abilities.hpp has the checks of engines, for data.
  virtual void validate(const options &facts, reasons &against) {
    for (const bkr_option &fact : facts) against.add_unknown(fact);
  }

  // Does the heavy work (memory, threads, devices), once, before the first kernel.
  virtual void init(const bkr_device &device) { static_cast<void>(device); }

  // The backend's table of kernels by id, the same one until the backend's end; NULL for an id it does not have.
  // Any thread. bkr::method makes functions for a table from member functions.
  virtual const void *get_interface(std::string_view id) {
    static_cast<void>(id);
    return nullptr;
  }

 protected:
  // The host, from the end of the constructor on (inside it: create_args::host).
  bkr::host host() const noexcept { return host_; }

 private:
  friend struct detail::boundary;
  bkr::host host_;
};

}  // namespace bkr

#endif  // BACKEND_REGISTRY_PLUGIN_BACKEND_HPP
