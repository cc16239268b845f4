// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_REGISTRY_TAGGED_PATH_H
#define BKR_REGISTRY_TAGGED_PATH_H

#include <atomic>
#include <cstdint>

#include "registry/qualified_path.h"

namespace bkr::core {

// A path (or none) together with who gave it, read and written as one: the tag lies in the pointer's low bits,
// which alignment leaves free. `Tag` is an enum with values 0 to 7.
template <class Tag>
class TaggedPath {
 public:
  TaggedPath() = default;
  TaggedPath(const QualifiedPath *path, Tag tag)
      : bits_(reinterpret_cast<uintptr_t>(path) | static_cast<uintptr_t>(tag)) {}
  const QualifiedPath *path() const noexcept {
    return reinterpret_cast<const QualifiedPath *>(bits_ & ~kMask);  // NOLINT(performance-no-int-to-ptr): see above
  }
  Tag tag() const noexcept { return static_cast<Tag>(bits_ & kMask); }

 private:
  static_assert(alignof(QualifiedPath) == 8);
  static constexpr uintptr_t kMask = 7;
  uintptr_t bits_ = 0;
};

template <class Tag>
class AtomicTaggedPath {
 public:
  TaggedPath<Tag> load() const noexcept { return value_.load(std::memory_order_acquire); }
  void store(TaggedPath<Tag> value) noexcept { value_.store(value, std::memory_order_release); }

 private:
  std::atomic<TaggedPath<Tag>> value_{};
  static_assert(std::atomic<TaggedPath<Tag>>::is_always_lock_free);
};

}  // namespace bkr::core

#endif  // BKR_REGISTRY_TAGGED_PATH_H
