// SPDX-License-Identifier: Apache-2.0
#ifndef BACKEND_REGISTRY_REGISTRY_HPP
#define BACKEND_REGISTRY_REGISTRY_HPP

// For hosts, in C++17: registry.h as classes. All of it is inline over the C functions of the same names, whose
// comments hold here too.
//
//     bkr::registry registry = bkr::registry::open();
//     bkr::member member = registry.find_family("attention").find_member("CPU_ATTN");
//     bkr::backend backend = member.load().create();
//     auto *attention = backend.get_interface<bkr_attention_1>(BKR_ATTENTION_1);
//
// Errors     Every failure throws a bkr::error; nothing else throws, but for std::bad_alloc. The try_ functions
//            give nothing instead if there is no such name.
// Ownership  A registry closes itself, a backend destroys itself; both can be moved, not copied. Families, members
//            and factories are cheap views, copied like pointers; they and every string_view live until their
//            registry is closed. A backend may outlive its registry.
// Threads    As in registry.h: everything from any thread, but nothing while the registry is being closed.
// Texts      Parameters of type bkr::text take a const char *, a std::string or a std::string_view.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detail/call.hpp"
#include "detail/text.hpp"
#include "family.hpp"
#include "registry.h"

namespace bkr {

inline std::string_view version() noexcept { return bkr_version(); }
inline uint32_t abi_version() noexcept { return bkr_abi_version(); }
inline std::string_view status_name(bkr_status status) noexcept { return bkr_status_name(status); }

// What one file is, as JSON, from its bytes alone.
inline std::string inspect(const text &file) {
  return detail::document([&](char *buffer, std::size_t cap, std::size_t *need, bkr_error *failure) {
    return bkr_inspect(file.c_str(), buffer, cap, need, failure);
  });
}

// How to open a registry: bkr_config with C++'s containers; all of it is copied. log is a function in C, because
// the registry calls it until its last backend is destroyed, which may be long after this object and the registry
// have ended: what log_user points to must live that long.
struct config {
  std::vector<std::string> search_dirs;  // searched first, in order
  uint32_t flags = 0;                    // BKR_CONFIG_…
  int32_t log_level = 0;                 // BKR_LOG_…; 0: from the environment
  bkr_log_fn log = nullptr;              // nullptr: lines go to stderr
  void *log_user = nullptr;
  std::vector<bkr_service> services;  // offered to plugins
};

// The families, their members, and what discovery read.
class registry {
 public:
  // Opens one, with the environment's settings or with yours.
  static registry open() {
    bkr_registry *opened = nullptr;
    detail::check([&](bkr_error *failure) { return bkr_registry_open(nullptr, &opened, failure); });
    return registry(opened, true);
  }
  static registry open(const config &settings) {
    std::vector<const char *> dirs;
    for (const std::string &dir : settings.search_dirs) dirs.push_back(dir.c_str());
    bkr_config plain = {};
    plain.struct_size = sizeof(plain);
    plain.flags = settings.flags;
    plain.search_dirs = dirs.data();
    plain.search_dir_count = static_cast<uint32_t>(dirs.size());
    plain.log_level = settings.log_level;
    plain.log = settings.log;
    plain.log_user = settings.log_user;
    plain.services = settings.services.data();
    plain.service_count = static_cast<uint32_t>(settings.services.size());
    bkr_registry *opened = nullptr;
    detail::check([&](bkr_error *failure) { return bkr_registry_open(&plain, &opened, failure); });
    return registry(opened, true);
  }

  // The process's own, which is never closed: this object's end does nothing to it.
  static registry process_default() {
    bkr_registry *found = nullptr;
    detail::check([&](bkr_error *failure) { return bkr_registry_default(&found, failure); });
    return registry(found, false);
  }

  registry(registry &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)), owned_(other.owned_) {}
  registry &operator=(registry &&other) noexcept {
    registry taken(std::move(other));
    std::swap(handle_, taken.handle_);
    std::swap(owned_, taken.owned_);
    return *this;
  }
  ~registry() {
    if (owned_) bkr_registry_close(handle_);
  }

  bkr_registry *handle() const noexcept { return handle_; }

  // Reads the environment and the search directories again.
  void rescan() const {
    detail::check([&](bkr_error *failure) { return bkr_registry_rescan(handle_, failure); });
  }

  // How many threads kernels may use, the calling one included; 0: as BKR_NUM_THREADS says, else one for each CPU.
  void set_threads(uint32_t count) const {
    detail::check_once([&](bkr_error *failure) { return bkr_registry_set_threads(handle_, count, failure); });
  }

  // Closes a library that no backend uses, where `config::flags` has BKR_CONFIG_ALLOW_UNLOAD; bkr_library_unload() says
  // what can be in the way.
  void unload(const text &file) const {
    detail::check_once([&](bkr_error *failure) { return bkr_library_unload(handle_, file.c_str(), failure); });
  }

  // The same number before and after a computation means that its answers hold.
  uint64_t epoch() const noexcept { return bkr_registry_epoch(handle_); }

  // What discovery saw, as JSON.
  std::string report() const {
    return detail::document([&](char *buffer, std::size_t cap, std::size_t *need, bkr_error *failure) {
      return bkr_registry_report(handle_, buffer, cap, need, failure);
    });
  }

  // The families there are now, in order of definition.
  std::vector<family> families() const {
    std::vector<family> all;
    for (uint32_t i = 0; bkr_family *at = bkr_family_at(handle_, i); ++i) all.emplace_back(at);
    return all;
  }

  family find_family(const text &name) const {
    bkr_family *found = nullptr;
    detail::check([&](bkr_error *failure) { return bkr_family_find(handle_, name.c_str(), &found, failure); });
    return family(found);
  }
  std::optional<family> try_find_family(const text &name) const {
    bkr_family *found = nullptr;
    detail::check([&](bkr_error *failure) {
      const bkr_status status = bkr_family_find(handle_, name.c_str(), &found, failure);
      return status == BKR_UNKNOWN_FAMILY ? BKR_OK : status;
    });
    return found == nullptr ? std::nullopt : std::optional<family>(found);
  }

  // Adds a family of the host's own; title is how texts call one of its backends ("sampler backend").
  family add_family(const text &name, const text &title) const {
    bkr_family *made = nullptr;
    detail::check(
        [&](bkr_error *failure) { return bkr_family_add(handle_, name.c_str(), title.c_str(), &made, failure); });
    return family(made);
  }

  // Find, load and create in one call.
  backend open_backend(const text &family_name, const text &member_name,
                       const std::vector<bkr_option> &options = {}) const {
    return find_family(family_name).find_member(member_name).load().create(options);
  }

 private:
  registry(bkr_registry *handle, bool owned) noexcept : handle_(handle), owned_(owned) {}

  bkr_registry *handle_;
  bool owned_;
};

}  // namespace bkr

#endif  // BACKEND_REGISTRY_REGISTRY_HPP
