// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_BASE_FLAT_INDEX_H
#define BKR_BASE_FLAT_INDEX_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace bkr::core {

// From a hash to small numbers, append-only: one open-addressing table of four-byte slots (eight bits of the hash,
// 24 of the number), published by pointer. Readers take no lock and never wait; writers are serialised by the
// caller. A table that was outgrown is kept, since a reader may still be in it: all of them together are no larger
// than the one in use.
class FlatIndex {
 public:
  static constexpr uint32_t kNone = 0xFFFFFFFFu;
  static constexpr uint32_t kMaxNumber = 0x00FFFFFEu;

  // A number with this hash that `matches` accepts, kNone if it accepts none; `matches` sees every candidate once.
  // May be called while a writer inserts.
  template <class Matches>
  uint32_t find(uint64_t hash, const Matches &matches) const {
    const Table *table = table_.load(std::memory_order_acquire);
    if (!table) return kNone;
    const uint32_t tag = tag_of(hash);
    for (std::size_t at = hash >> 8 & table->mask;; at = (at + 1) & table->mask) {
      const uint32_t slot = table->slots[at].load(std::memory_order_acquire);
      if (slot == 0) return kNone;
      if ((slot & kTagMask) == tag) {
        const uint32_t number = (slot & ~kTagMask) - 1;
        if (matches(number)) return number;
      }
    }
  }

  // Makes sure that the next `count` calls of add() need no memory. `hash_of` gives the hash that a number added before
  // has now.
  template <class HashOf>
  void make_room(std::size_t count, const HashOf &hash_of) {
    const Table *table = table_.load(std::memory_order_relaxed);
    std::size_t capacity = table ? table->mask + 1 : kFirstCapacity;
    while ((used_ + count) * 4 > capacity * 3) capacity *= 2;
    if (!table || capacity > table->mask + 1) grow(table, capacity, hash_of);
  }

  // Adds a number of at most kMaxNumber, after make_room().
  void add(uint64_t hash, uint32_t number) noexcept {
    put(*table_.load(std::memory_order_relaxed), hash, number, std::memory_order_release);
    ++used_;
  }

 private:
  static constexpr uint32_t kTagMask = 0xFF000000u;
  static uint32_t tag_of(uint64_t hash) { return static_cast<uint32_t>(hash >> 32) & kTagMask; }

  struct Table {
    explicit Table(std::size_t capacity)
        : mask(capacity - 1), slots(std::make_unique<std::atomic<uint32_t>[]>(capacity)) {}
    const std::size_t mask;
    const std::unique_ptr<std::atomic<uint32_t>[]> slots;
  };

  static void put(const Table &table, uint64_t hash, uint32_t number, std::memory_order order) noexcept {
    std::size_t at = hash >> 8 & table.mask;
    while (table.slots[at].load(std::memory_order_relaxed) != 0) at = (at + 1) & table.mask;
    table.slots[at].store(tag_of(hash) | (number + 1), order);
  }

  template <class HashOf>
  void grow(const Table *old, std::size_t capacity, const HashOf &hash_of) {
    auto larger = std::make_unique<Table>(capacity);
    tables_.reserve(tables_.size() + 1);
    if (old) {
      for (std::size_t at = 0; at <= old->mask; ++at) {
        const uint32_t slot = old->slots[at].load(std::memory_order_relaxed);
        if (slot == 0) continue;
        const uint32_t number = (slot & ~kTagMask) - 1;
        put(*larger, hash_of(number), number, std::memory_order_relaxed);
      }
    }
    tables_.push_back(std::move(larger));
    table_.store(tables_.back().get(), std::memory_order_release);
  }

  static constexpr std::size_t kFirstCapacity = 64;
  std::atomic<const Table *> table_{nullptr};
  std::size_t used_ = 0;
  std::vector<std::unique_ptr<Table>> tables_;  // the one in use is the last
};

}  // namespace bkr::core

#endif  // BKR_BASE_FLAT_INDEX_H
