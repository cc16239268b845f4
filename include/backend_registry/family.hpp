// SPDX-License-Identifier: Apache-2.0
#ifndef BACKEND_REGISTRY_FAMILY_HPP
#define BACKEND_REGISTRY_FAMILY_HPP

// For hosts: families, their members, and the selection of one. How to come by a family, and what holds of errors,
// ownership, threads and texts: registry.hpp.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend.hpp"
#include "detail/call.hpp"
#include "detail/text.hpp"
#include "registry.h"

namespace bkr {

class family;

// ---- member ----------------------------------------------------------------------------------------------

// One name of a family.
class member {
 public:
  explicit member(bkr_member *borrowed) noexcept : handle_(borrowed) {}
  bkr_member *handle() const noexcept { return handle_; }

  std::string_view name() const noexcept { return bkr_member_name(handle_); }
  bkr::family family() const noexcept;

  // The path without overrides: nothing for CUSTOM and members registered without one, "" for TORCH_SDPA.
  std::optional<std::string_view> default_path() const noexcept {
    const char *path = bkr_member_default_path(handle_);
    return path == nullptr ? std::nullopt : std::optional<std::string_view>(path);
  }

  // The path in force.
  std::string_view path() const {
    const char *path = nullptr;
    detail::check([&](bkr_error *failure) { return bkr_member_path(handle_, &path, failure); });
    return path;
  }

  // The path in force without its class.
  std::string_view module() const {
    const char *module = nullptr;
    detail::check([&](bkr_error *failure) { return bkr_member_module(handle_, &module, failure); });
    return module;
  }

  bool is_overridden() const noexcept { return bkr_member_is_overridden(handle_) != 0; }
  int32_t override_source() const noexcept { return bkr_member_override_source(handle_); }  // BKR_OVERRIDE_…

  // Puts a path in place of the default, and takes it back.
  void override_path(const text &path) const {
    detail::check([&](bkr_error *failure) { return bkr_member_override(handle_, path.c_str(), failure); });
  }
  void clear_override() const noexcept { bkr_member_clear_override(handle_); }

  // Where the path leads; opens nothing.
  bkr_target resolve() const {
    bkr_target target = {};
    target.struct_size = sizeof(target);
    detail::check([&](bkr_error *failure) { return bkr_member_resolve(handle_, &target, failure); });
    return target;
  }

  // The same decision with its whole trace, as JSON.
  std::string explain() const {
    return detail::document([&](char *buffer, std::size_t cap, std::size_t *need, bkr_error *failure) {
      return bkr_member_explain(handle_, buffer, cap, need, failure);
    });
  }

  // Resolves the member and loads its target.
  factory load() const {
    bkr_factory *loaded = nullptr;
    detail::check([&](bkr_error *failure) { return bkr_member_load(handle_, &loaded, failure); });
    return factory(loaded);
  }

  friend bool operator==(member a, member b) noexcept { return a.handle_ == b.handle_; }
  friend bool operator!=(member a, member b) noexcept { return a.handle_ != b.handle_; }

 private:
  bkr_member *handle_;
};

// ---- selection -------------------------------------------------------------------------------------------

// How a family shall choose a member: bkr_selection with C++'s containers.
struct selection {
  std::vector<bkr_option> facts;        // what is needed: {{"head_size", "128"}, {"dtype", "bfloat16"}}
  std::vector<std::string> candidates;  // names, the best first; none: every member that has a provider here
  std::string explicit_name;  // that member or none; empty or "auto": the environment's choice, else automatic
};

// What was chosen, and as JSON what was turned down before it and why.
struct selected {
  bkr::member member;
  std::string report;
};

// Every candidate, or the explicit choice, was turned down: what() has the reasons in short, report() all of them.
class selection_error : public error {
 public:
  selection_error(bkr_status status, const std::string &text, int32_t stage, int32_t native_code, std::string report)
      : error(status, text, stage, native_code), report_(std::move(report)) {}
  const std::string &report() const noexcept { return report_; }

 private:
  std::string report_;
};

// ---- family ----------------------------------------------------------------------------------------------

// One enumeration of backends.
class family {
 public:
  explicit family(bkr_family *borrowed) noexcept : handle_(borrowed) {}
  bkr_family *handle() const noexcept { return handle_; }

  std::string_view name() const noexcept { return bkr_family_name(handle_); }

  // The members there are now: definition order, then registration order.
  std::vector<member> members() const {
    std::vector<member> all;
    for (uint32_t i = 0; bkr_member *at = bkr_family_member_at(handle_, i); ++i) all.emplace_back(at);
    return all;
  }

  // By exact name.
  member find_member(const text &name) const {
    bkr_member *found = nullptr;
    detail::check([&](bkr_error *failure) { return bkr_member_find(handle_, name.c_str(), &found, failure); });
    return member(found);
  }
  std::optional<member> try_find_member(const text &name) const {
    bkr_member *found = nullptr;
    detail::check([&](bkr_error *failure) {
      const bkr_status status = bkr_member_find(handle_, name.c_str(), &found, failure);
      return status == BKR_UNKNOWN_NAME ? BKR_OK : status;
    });
    return found == nullptr ? std::nullopt : std::optional<member>(found);
  }

  // The member whose default path this is.
  member find_member_by_path(const text &default_path) const {
    bkr_member *found = nullptr;
    detail::check(
        [&](bkr_error *failure) { return bkr_member_find_by_path(handle_, default_path.c_str(), &found, failure); });
    return member(found);
  }
  std::optional<member> try_find_member_by_path(const text &default_path) const {
    bkr_member *found = nullptr;
    detail::check([&](bkr_error *failure) {
      const bkr_status status = bkr_member_find_by_path(handle_, default_path.c_str(), &found, failure);
      return status == BKR_UNKNOWN_NAME ? BKR_OK : status;
    });
    return found == nullptr ? std::nullopt : std::optional<member>(found);
  }

  // Adds a member; without a path it is not usable until it is overridden.
  member register_member(const text &name, const text &path = nullptr) const {
    bkr_member *made = nullptr;
    detail::check(
        [&](bkr_error *failure) { return bkr_member_register(handle_, name.c_str(), path.c_str(), &made, failure); });
    return member(made);
  }

  // Adds a member and overrides it with the same path. For a class of your own: bkr::register_backend<T>.
  member register_backend(const text &name, const text &path) const {
    bkr_member *made = nullptr;
    detail::check(
        [&](bkr_error *failure) { return bkr_register_backend(handle_, name.c_str(), path.c_str(), &made, failure); });
    return member(made);
  }

  // Makes a function the provider of a dotted path, before any file; and takes it back.
  void provide(const text &path, bkr_create_backend_fn create, void *user = nullptr) const {
    detail::check([&](bkr_error *failure) { return bkr_provide(handle_, path.c_str(), create, user, failure); });
  }
  void withdraw(const text &path) const { provide(path, nullptr); }

  // Chooses a member by what it can do. Throws a selection_error if none can serve it, or not the one that was named.
  selected select(const selection &asked) const;

  // As member::resolve and member::load, for a path that no member has.
  bkr_target resolve(const text &path) const {
    bkr_target target = {};
    target.struct_size = sizeof(target);
    detail::check([&](bkr_error *failure) { return bkr_path_resolve(handle_, path.c_str(), &target, failure); });
    return target;
  }
  factory load(const text &path) const {
    bkr_factory *loaded = nullptr;
    detail::check([&](bkr_error *failure) { return bkr_path_load(handle_, path.c_str(), &loaded, failure); });
    return factory(loaded);
  }

  friend bool operator==(family a, family b) noexcept { return a.handle_ == b.handle_; }
  friend bool operator!=(family a, family b) noexcept { return a.handle_ != b.handle_; }

 private:
  bkr_family *handle_;
};

inline bkr::family member::family() const noexcept { return bkr::family(bkr_member_family(handle_)); }

inline selected family::select(const selection &asked) const {
  std::vector<const char *> candidates;
  for (const std::string &candidate : asked.candidates) candidates.push_back(candidate.c_str());
  bkr_selection plain = {};
  plain.struct_size = sizeof(plain);
  plain.explicit_name = asked.explicit_name.c_str();
  plain.facts = asked.facts.data();
  plain.fact_count = static_cast<uint32_t>(asked.facts.size());
  plain.candidates = candidates.data();
  plain.candidate_count = static_cast<uint32_t>(candidates.size());

  // The report may be longer than there is room for, and the next time longer than it was.
  std::string report(4096, '\0');
  std::string text(8192, '\0');
  while (true) {
    bkr_member *chosen = nullptr;
    std::size_t need = 0;
    bkr_error failure = {sizeof(bkr_error), 0, 0, static_cast<uint32_t>(text.size()), text.data(), 0, 0};
    const bkr_status status = bkr_select(handle_, &plain, &chosen, report.data(), report.size(), &need, &failure);
    if (need > report.size()) {
      report.resize(need);
      continue;
    }
    report.resize(need > 0 ? need - 1 : 0);  // need counts the NUL
    if (status == BKR_OK) return {bkr::member(chosen), std::move(report)};
    text.resize(text.find('\0'));
    if (status == BKR_CHOICE_REFUSED || status == BKR_NO_VALID_BACKEND) {
      throw selection_error(status, text, failure.stage, failure.native_code, std::move(report));
    }
    throw error(status, text, failure.stage, failure.native_code);
  }
}

}  // namespace bkr

#endif  // BACKEND_REGISTRY_FAMILY_HPP
