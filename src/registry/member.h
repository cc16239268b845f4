// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_REGISTRY_MEMBER_H
#define BKR_REGISTRY_MEMBER_H

#include <atomic>
#include <string_view>

#include "registry/tagged_path.h"

namespace bkr::core {

class Family;
struct LoadedAs;  // the load folder's: what was loaded for a member, and until which epoch that holds

// Who decided the path in force.
enum class PathSource : uint8_t { default_path = 0, api = 1, environment = 2 };

// Who brought a member's name and default path. Only what a record brought may change.
enum class MemberOrigin : uint8_t { built_in = 0, host = 1, record = 2 };

// One name of a family. Read by any thread without a lock; written by the family set under its write lock. Small
// on purpose: engines register names by the thousand.
class Member {
 public:
  Member(Family &family, const char *name) : family_(&family), name_(name) {}

  Family &family() const noexcept { return *family_; }
  const char *name() const noexcept { return name_; }

  // The path in force and who decided it; no path for members that must be registered before use.
  TaggedPath<PathSource> effective() const noexcept { return effective_.load(); }
  // No path for CUSTOM, an empty one for TORCH_SDPA.
  TaggedPath<MemberOrigin> default_path() const noexcept { return default_.load(); }

  // What the load folder keeps here to find a factory again without a lock.
  std::atomic<LoadedAs *> &loaded() const noexcept { return loaded_; }

 private:
  friend class FamilySet;
  AtomicTaggedPath<PathSource> effective_;
  AtomicTaggedPath<MemberOrigin> default_;
  Family *family_;
  const char *name_;
  mutable std::atomic<LoadedAs *> loaded_{nullptr};
};

static_assert(sizeof(void *) != 8 || sizeof(Member) == 40);

}  // namespace bkr::core

#endif  // BKR_REGISTRY_MEMBER_H
