// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_REGISTRY_FAMILY_H
#define BKR_REGISTRY_FAMILY_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/flat_index.h"
#include "base/hash.h"
#include "registry/member.h"
#include "registry/name_text.h"

namespace bkr::core {

class FamilySet;

// How a family is called in its texts.
struct FamilyTexts {
  std::string name;        // "attention"
  std::string title;       // "attention backend": Unknown {title}: 'X'
  std::string collection;  // "AttentionBackendEnum": Backend X already exists in {collection}.
  std::string subject;     // "Backend": {subject} X must be registered before use.
};

// One enumeration of backends: members in the order they came, found by name and by default path. Readers take no
// lock; the family set adds members under its write lock, and none is ever removed.
class Family {
 public:
  Family(FamilySet &set, FamilyTexts texts) : set_(&set), texts_(std::move(texts)) {}
  ~Family();
  Family(const Family &) = delete;

  FamilySet &set() const noexcept { return *set_; }
  const FamilyTexts &texts() const noexcept { return texts_; }
  const char *name() const noexcept { return texts_.name.c_str(); }

  uint32_t size() const noexcept { return size_.load(std::memory_order_acquire); }
  Member *at(uint32_t number) const noexcept { return number < size() ? &slot(number) : nullptr; }

  // Null if there is no member of that name. Engines call it per request: it is short enough to be part of its callers.
  BKR_ALWAYS_INLINE Member *find(std::string_view name) const noexcept {
    const uint32_t number =
        by_name_.find(hash_text(name), [&](uint32_t candidate) { return is_name_text(slot(candidate).name(), name); });
    return number == FlatIndex::kNone ? nullptr : &slot(number);
  }

  // The member whose default path this is: one of the host's before one that a record brought, then the newest.
  Member *find_by_path(std::string_view default_path) const noexcept;

  uint32_t number_of(const Member &member) const noexcept;

  // All names, in order.
  std::vector<std::string> names() const;

  // The next family of the set, in order of definition.
  Family *next() const noexcept { return next_.load(std::memory_order_acquire); }

 private:
  friend class FamilySet;
  static constexpr uint32_t kChunk = 64;

  BKR_ALWAYS_INLINE Member &slot(uint32_t number) const noexcept {
    std::byte *chunk = chunk_table_.load(std::memory_order_acquire)[number / kChunk];
    return *std::launder(reinterpret_cast<Member *>(chunk + number % kChunk * sizeof(Member)));
  }
  // Everything that needs memory for `count` members more, or as many other default paths; a reader sees no change.
  void reserve(uint32_t count);
  // After reserve(): a member that nobody sees before publish(), and a member under its default path of now.
  Member &append(const char *name) noexcept;
  void publish(uint32_t number) noexcept;
  void index_path(uint32_t number) noexcept;
  void add_chunk();
  uint64_t path_hash(uint32_t number) const noexcept;

  FamilySet *set_;
  FamilyTexts texts_;
  FlatIndex by_name_;
  FlatIndex by_path_;
  std::atomic<uint32_t> size_{0};
  // Members lie in chunks, so that they never move; the table of chunks is published anew when it grows.
  std::atomic<std::byte *const *> chunk_table_{nullptr};
  std::vector<std::unique_ptr<std::byte *[]>> chunk_tables_;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::atomic<Family *> next_{nullptr};
};

}  // namespace bkr::core

#endif  // BKR_REGISTRY_FAMILY_H
