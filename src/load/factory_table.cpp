// SPDX-License-Identifier: Apache-2.0
#include "load/factory_table.h"

#include "base/hash.h"

namespace bkr::core {

namespace {

uint64_t hash_of(const Target &target) noexcept {
  return hash_text(target.path) ^ (target.facts ? Inode(target.facts->identity).hash() : 0);
}

}  // namespace

bool FactoryTable::is_loaded(const Target &target) const {
  const Factory *known = find(hash_of(target), target);
  return known && known->is_loaded();
}

Result<const Factory *> FactoryTable::load(const Target &target) {
  const uint64_t hash = hash_of(target);
  if (const Factory *known = find(hash, target)) {
    if (Result<void> loaded = known->ensure_loaded(); !loaded) return fail(std::move(loaded.error()));
    return known;
  }
  Result<std::unique_ptr<Factory>> factory = Factory::load(target, host_);
  if (!factory) return fail(std::move(factory.error()));
  // Two threads may have come here; the first to publish is kept.
  const std::lock_guard lock(mutex_);
  if (const Factory *known = find_locked(hash, target)) return known;
  return factories_.emplace(hash, std::move(*factory))->second.get();
}

const Factory *FactoryTable::find(uint64_t hash, const Target &target) const {
  const std::lock_guard lock(mutex_);
  return find_locked(hash, target);
}

const Factory *FactoryTable::find_locked(uint64_t hash, const Target &target) const {
  auto [at, end] = factories_.equal_range(hash);
  while (at != end && !at->second->is_of(target)) ++at;
  return at == end ? nullptr : at->second.get();
}

void FactoryTable::remember(const Member &member, const Factory &factory, uint64_t epoch) {
  const std::lock_guard lock(mutex_);
  auto [known, end] = remembered_.equal_range(&member);
  while (known != end && known->second.factory != &factory) ++known;
  if (known == end) known = remembered_.emplace(&member, &factory);
  known->second.epoch.store(epoch, std::memory_order_release);
  member.loaded().store(&known->second, std::memory_order_release);
}

}  // namespace bkr::core
