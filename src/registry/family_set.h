// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_REGISTRY_FAMILY_SET_H
#define BKR_REGISTRY_FAMILY_SET_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/arena.h"
#include "base/failure.h"
#include "base/fork_safe_mutex.h"
#include "registry/family.h"
#include "registry/path_pool.h"

namespace bkr::core {

// The environment's overrides, as read at open or rescan: variable -> path.
using OverrideEnvironment = std::unordered_map<std::string, std::string>;

inline constexpr std::string_view kOverridePrefix = "BKR_OVERRIDE_";

// "BKR_OVERRIDE_ATTENTION_CUSTOM": built from the member, never taken apart (a family's name may hold a "_").
std::string override_variable(std::string_view family, std::string_view member);
bool is_override_variable(std::string_view variable, std::string_view family, std::string_view member) noexcept;

// A member that a plugin's record asks for.
struct RecordMember {
  std::string_view family;
  std::string_view name;
  std::string_view path;
  std::string_view file;
};

// All families of one registry with their members and the override table. Everything that changes them goes
// through here, one writer at a time; readers use Family and Member and never wait. A change that fails has
// changed nothing.
class FamilySet {
 public:
  // `owner` is handed back by owner(): whoever opened this set, for the C face, which is given members only.
  explicit FamilySet(void *owner);
  FamilySet(const FamilySet &) = delete;
  ~FamilySet();

  void *owner() const noexcept { return owner_; }

  // Grows with each change that can alter an answer. Read it before a computation and compare it after.
  uint64_t epoch() const noexcept { return epoch_.load(std::memory_order_acquire); }
  void advance_epoch() noexcept { epoch_.fetch_add(1, std::memory_order_acq_rel); }

  Family *first() const noexcept { return first_.load(std::memory_order_acquire); }
  Family *find(std::string_view name) const noexcept;
  std::vector<std::string> names() const;

  // Adds a family, and the members that `records` ask for in it; `warnings` as update() gives them.
  Result<Family *> add_family(std::string_view name, std::string_view title, const std::vector<RecordMember> &records,
                              std::vector<std::string> &warnings);

  // Adds a member, or takes over the name that a record brought. `path` empty: none yet.
  // `also_override`: the path becomes the default and the override (bkr_register_backend).
  Result<Member *> register_member(Family &family, std::string_view name, std::string_view path, bool also_override);

  Result<void> override_path(Member &member, std::string_view path);
  void clear_override(Member &member);

  // A path that no member has: the same text (and working directory) gives the same path. BKR_BAD_PATH.
  Result<const QualifiedPath *> intern(std::string_view path);

  // Puts into force what a scan found. The environment's overrides replace the earlier ones, for the members that are
  // there and for those that come. Records make members of the names that no one else holds; those that an earlier
  // record made follow the new ones. Of two records with one new name and two paths the first decides; the lines that
  // are returned name both.
  std::vector<std::string> update(const OverrideEnvironment &environment, const std::vector<RecordMember> &records);

  // A member's own part of the module text, made at the first question and kept.
  const char *module_of(const QualifiedPath &path);

  // A copy of `text` that lives as long as the set; equal texts share one.
  const char *keep(std::string_view text);

 private:
  // What records are to change: planned with memory, carried out without.
  struct Plan {
    struct Change {
      Family *family;
      Member *member;    // null: a new one
      const char *name;  // the new one's, in the arena
      const QualifiedPath *path;
    };
    std::vector<Change> changes;
    std::vector<std::string> warnings;
  };
  using EnvironmentPaths = std::vector<std::pair<std::string, const QualifiedPath *>>;

  Plan plan(const std::vector<RecordMember> &records, Family *coming = nullptr);
  void carry_out(const Plan &plan) noexcept;
  Member &add_member(Family &family, const char *name, TaggedPath<MemberOrigin> path,
                     const QualifiedPath *api_override) noexcept;
  void set_default(Member &member, TaggedPath<MemberOrigin> path) noexcept;
  TaggedPath<PathSource> without_api(const Member &member) const noexcept;
  const QualifiedPath *environment_path(const Member &member) const noexcept;
  void append_family(std::unique_ptr<Family> family) noexcept;  // after families_.reserve()

  void *const owner_;
  ForkSafeMutex write_mutex_;  // all below, and every member's slots
  Arena arena_;
  PathPool paths_{arena_};
  // The environment's overrides. Also those that no member claims yet: relative files are fixed when they are read.
  EnvironmentPaths environment_;
  std::vector<std::unique_ptr<Family>> families_;
  std::atomic<Family *> first_{nullptr};
  std::atomic<uint64_t> epoch_{1};

  ForkSafeMutex text_mutex_;  // the texts below; never held together with the other
  Arena text_arena_;
  std::unordered_map<std::string_view, const char *> texts_;
};

}  // namespace bkr::core

#endif  // BKR_REGISTRY_FAMILY_SET_H
