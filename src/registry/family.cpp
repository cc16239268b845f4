// SPDX-License-Identifier: Apache-2.0
#include "registry/family.h"

#include <algorithm>

namespace bkr::core {

Family::~Family() {
  for (uint32_t number = 0; number < size(); ++number) slot(number).~Member();
}

Member *Family::find_by_path(std::string_view default_path) const noexcept {
  std::optional<uint32_t> best;
  bool best_is_record = false;
  by_path_.find(hash_text(default_path), [&](uint32_t candidate) {
    const TaggedPath<MemberOrigin> own = slot(candidate).default_path();
    if (!own.path() || own.path()->text() != default_path) return false;
    const bool is_record = own.tag() == MemberOrigin::record;
    if (!best || (best_is_record && !is_record) || (best_is_record == is_record && candidate > *best)) {
      best = candidate;
      best_is_record = is_record;
    }
    return false;  // see them all
  });
  return best ? &slot(*best) : nullptr;
}

uint32_t Family::number_of(const Member &member) const noexcept {
  uint32_t number = 0;
  while (&slot(number) != &member) ++number;
  return number;
}

std::vector<std::string> Family::names() const {
  std::vector<std::string> all;
  for (uint32_t number = 0; number < size(); ++number) all.emplace_back(slot(number).name());
  return all;
}

void Family::reserve(uint32_t count) {
  const std::size_t needed = std::size_t{size_.load(std::memory_order_relaxed)} + count;
  while (chunks_.size() * kChunk < needed) add_chunk();
  by_name_.make_room(count, [this](uint32_t number) { return hash_text(name_text(slot(number).name())); });
  by_path_.make_room(count, [this](uint32_t number) { return path_hash(number); });
}

void Family::add_chunk() {
  chunk_tables_.reserve(chunk_tables_.size() + 1);
  chunks_.reserve(chunks_.size() + 1);
  auto chunk = std::make_unique<std::byte[]>(kChunk * sizeof(Member));
  // A power of two of entries at a time, so that old tables take no more than the one in use.
  const std::size_t count = chunks_.size();
  if ((count & (count - 1)) == 0) {
    auto table = std::make_unique<std::byte *[]>(std::max<std::size_t>(count * 2, 1));
    for (std::size_t i = 0; i < count; ++i) table[i] = chunks_[i].get();
    chunk_tables_.push_back(std::move(table));
  }
  chunk_tables_.back()[count] = chunk.get();
  chunks_.push_back(std::move(chunk));
  chunk_table_.store(chunk_tables_.back().get(), std::memory_order_release);
}

Member &Family::append(const char *name) noexcept {
  const uint32_t number = size_.load(std::memory_order_relaxed);
  return *new (chunks_[number / kChunk].get() + number % kChunk * sizeof(Member)) Member(*this, name);
}

uint64_t Family::path_hash(uint32_t number) const noexcept {
  const QualifiedPath *path = slot(number).default_path().path();
  return path ? hash_text(path->text()) : 0;
}

void Family::publish(uint32_t number) noexcept {
  if (slot(number).default_path().path()) by_path_.add(path_hash(number), number);
  by_name_.add(hash_text(name_text(slot(number).name())), number);
  size_.store(number + 1, std::memory_order_release);
}

void Family::index_path(uint32_t number) noexcept {
  if (!slot(number).default_path().path()) return;
  const uint64_t hash = path_hash(number);
  const bool there = by_path_.find(hash, [&](uint32_t other) { return other == number; }) != FlatIndex::kNone;
  if (!there) by_path_.add(hash, number);
}

}  // namespace bkr::core
