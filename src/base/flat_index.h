// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_BASE_FLAT_INDEX_H
#define BKR_BASE_FLAT_INDEX_H

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/always_inline.h"

namespace bkr::core {

// From a hash to small numbers, append-only. Readers take no lock and never wait; writers are serialised by the caller.
//
// The table consists of groups of eight places. A group keeps a byte of each place's hash in one word, all of which are
// compared at once: a look-up of one among thousands then has no branch that a processor could not guess, but for one
// time in fifty. A table that was outgrown is kept, since a reader may still be in it: all of them together are no
// larger than the one in use.
class FlatIndex {
 public:
  static constexpr uint32_t kNone = 0xFFFFFFFFu;
  static constexpr uint32_t kMaxNumber = 0x00FFFFFFu;

  // A number with this hash that `matches` accepts, kNone if it accepts none; `matches` sees every candidate once.
  // May be called while a writer inserts.
  template <class Matches>
  BKR_ALWAYS_INLINE uint32_t find(uint64_t hash, const Matches &matches) const {
    const Group *groups = groups_.load(std::memory_order_acquire);
    if (!groups) return kNone;
    const uint64_t wanted = kEach * tag_of(hash);
    const uint64_t mask = mask_of(groups);
    for (uint64_t at = hash >> 8 & mask;; at = (at + 1) & mask) {
      const Group &group = groups[at];
      const uint64_t tags = group.tags.load(std::memory_order_acquire);
      for (uint64_t found = zero_bytes(tags ^ wanted); found != 0; found &= found - 1) {
        const uint32_t number = group.number(std::countr_zero(found) / 8);
        if (matches(number)) return number;
      }
      if (zero_bytes(tags) != 0) return kNone;
    }
  }

  // Makes sure that the next `count` calls of add() need no memory. `hash_of` gives the hash that a number added before
  // has now.
  template <class HashOf>
  void make_room(std::size_t count, const HashOf &hash_of) {
    const std::size_t present = tables_.empty() ? 0 : mask_of(in_use()) + 1;
    std::size_t groups = std::max(present, kFirstGroups);
    // The first step is a large one: what is outgrown stays.
    while (used_ + count > groups * kPlaces * 3 / 4) groups *= groups == kFirstGroups ? 8 : 2;
    if (groups > present) grow(groups, hash_of);
  }

  // Adds a number of at most kMaxNumber, after make_room().
  void add(uint64_t hash, uint32_t number) noexcept {
    put(in_use(), hash, number);
    ++used_;
  }

 private:
  static constexpr int kPlaces = 8;                           // of a group
  static constexpr uint64_t kEach = 0x0101010101010101u;      // times a byte: that byte in each place
  static constexpr uint64_t kHighBits = 0x8080808080808080u;  // of each place
  static constexpr std::size_t kFirstGroups = 8;

  // Never 0, which is the tag of an empty place.
  static uint64_t tag_of(uint64_t hash) { return std::max<uint64_t>(hash >> 56, 1); }

  // The high bit of each byte that is 0, and of no other.
  static uint64_t zero_bytes(uint64_t word) { return ~(((word & ~kHighBits) + ~kHighBits) | word | ~kHighBits); }

  struct alignas(32) Group {
    std::atomic<uint64_t> tags{0};  // written last
    std::atomic<uint16_t> low[kPlaces] = {};
    std::atomic<uint8_t> high[kPlaces] = {};

    uint32_t number(int place) const noexcept {
      return low[place].load(std::memory_order_relaxed) | uint32_t{high[place].load(std::memory_order_relaxed)} << 16;
    }
  };

  // A table is one piece of memory: a group whose tags are the mask, and then the groups, of which a pointer is kept.
  // So a look-up needs one load less.
  using Table = std::unique_ptr<Group[]>;
  static uint64_t mask_of(const Group *groups) noexcept { return groups[-1].tags.load(std::memory_order_relaxed); }
  Group *in_use() const noexcept { return tables_.back().get() + 1; }

  static void put(Group *groups, uint64_t hash, uint32_t number) noexcept {
    const uint64_t mask = mask_of(groups);
    for (uint64_t at = hash >> 8 & mask;; at = (at + 1) & mask) {
      Group &group = groups[at];
      const uint64_t tags = group.tags.load(std::memory_order_relaxed);
      const uint64_t empty = zero_bytes(tags);
      if (empty == 0) continue;
      const int place = std::countr_zero(empty) / 8;
      group.low[place].store(static_cast<uint16_t>(number), std::memory_order_relaxed);
      group.high[place].store(static_cast<uint8_t>(number >> 16), std::memory_order_relaxed);
      group.tags.store(tags | tag_of(hash) << (8 * place), std::memory_order_release);
      return;
    }
  }

  template <class HashOf>
  void grow(std::size_t count, const HashOf &hash_of) {
    tables_.reserve(tables_.size() + 1);
    auto larger = std::make_unique<Group[]>(1 + count);
    larger[0].tags.store(count - 1, std::memory_order_relaxed);
    for (uint64_t at = 0; !tables_.empty() && at <= mask_of(in_use()); ++at) {
      const Group &group = in_use()[at];
      const uint64_t tags = group.tags.load(std::memory_order_relaxed);
      for (int place = 0; place < kPlaces && (tags >> (8 * place) & 0xFF) != 0; ++place) {
        const uint32_t number = group.number(place);
        put(larger.get() + 1, hash_of(number), number);
      }
    }
    tables_.push_back(std::move(larger));
    groups_.store(in_use(), std::memory_order_release);
  }

  std::atomic<const Group *> groups_{nullptr};
  std::size_t used_ = 0;
  std::vector<Table> tables_;  // the one in use is the last
};

}  // namespace bkr::core

#endif  // BKR_BASE_FLAT_INDEX_H
