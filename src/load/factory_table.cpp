// SPDX-License-Identifier: Apache-2.0
#include "load/factory_table.h"

#include <functional>

namespace bkr::core {

bool FactoryTable::Key::operator<(const Key &other) const {
  const auto order = [](const Key &k) {
    return std::make_tuple(k.identity.device, k.identity.inode, k.identity.size, k.identity.mtime_ns,
                           k.identity.ctime_ns, std::string_view(k.symbol), std::string_view(k.family),
                           std::string_view(k.backend_name), std::string_view(k.path),
                           reinterpret_cast<uintptr_t>(k.in_process.create),
                           reinterpret_cast<uintptr_t>(k.in_process.user));
  };
  return order(*this) < order(other);
}

FactoryTable::Key FactoryTable::key_of(const Target &target) {
  return {target.facts ? target.facts->identity : FileIdentity{},
          target.symbol,
          target.family,
          target.backend_name,
          target.path,
          target.in_process};
}

bool FactoryTable::is_loaded(const Target &target) const {
  const Factory *known = find(key_of(target));
  return known && known->is_loaded();
}

Result<const Factory *> FactoryTable::load(const Target &target) {
  const Key key = key_of(target);
  if (const Factory *known = find(key)) {
    if (Result<void> loaded = known->ensure_loaded(); !loaded) return fail(std::move(loaded.error()));
    return known;
  }
  Result<std::unique_ptr<Factory>> factory = Factory::load(target, host_);
  if (!factory) return fail(std::move(factory.error()));
  // Two threads may have come here; the first to publish is kept.
  const std::lock_guard lock(mutex_);
  return factories_.try_emplace(key, std::move(*factory)).first->second.get();
}

const Factory *FactoryTable::find(const Key &key) const {
  const std::lock_guard lock(mutex_);
  const auto found = factories_.find(key);
  return found == factories_.end() ? nullptr : found->second.get();
}

void FactoryTable::remember(const Member &member, const Factory &factory, uint64_t epoch) {
  const std::lock_guard lock(mutex_);
  LoadedAs &known = remembered_.try_emplace({&member, &factory}, &factory).first->second;
  known.epoch.store(epoch, std::memory_order_release);
  member.loaded().store(&known, std::memory_order_release);
}

}  // namespace bkr::core
