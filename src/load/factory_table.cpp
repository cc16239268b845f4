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
  const std::lock_guard lock(mutex_);
  return factories_.contains(key_of(target));
}

Result<const Factory *> FactoryTable::load(const Target &target) {
  const Key key = key_of(target);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = factories_.find(key); found != factories_.end()) return found->second.get();
  }

  bkr_create_backend_fn create = target.in_process.create;
  std::shared_ptr<const Library> library;
  if (target.provider != ProviderKind::in_process) {
    Result<std::shared_ptr<const Library>> opened = LibraryTable::of_process().open(*target.facts);
    if (!opened) return fail(std::move(opened.error()));
    library = std::move(*opened);
    const Result<bkr_create_backend_fn> function = library->create_function(target.symbol);
    if (!function) return fail(function.error());
    create = *function;
  }

  // Two threads may have come here; the first to publish is kept.
  auto factory = std::make_unique<Factory>(target, create, target.in_process.user, std::move(library), host_);
  const std::lock_guard lock(mutex_);
  return factories_.try_emplace(key, std::move(factory)).first->second.get();
}

void FactoryTable::remember(const Member &member, const Factory &factory, uint64_t epoch) {
  const std::lock_guard lock(mutex_);
  LoadedAs &known = remembered_.try_emplace({&member, &factory}, &factory).first->second;
  known.epoch.store(epoch, std::memory_order_release);
  member.loaded().store(&known, std::memory_order_release);
}

}  // namespace bkr::core
