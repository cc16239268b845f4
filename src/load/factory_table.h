// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_LOAD_FACTORY_TABLE_H
#define BKR_LOAD_FACTORY_TABLE_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/fork_safe_mutex.h"
#include "load/factory.h"
#include "registry/member.h"

namespace bkr::core {

// A factory that was loaded for a member, and the epoch at which that was the right answer.
struct LoadedAs {
  explicit LoadedAs(const Factory *loaded) : factory(loaded) {}
  const Factory *const factory;
  std::atomic<uint64_t> epoch{0};
};

// The factories of one registry: made once for each target, kept until the registry closes.
class FactoryTable {
 public:
  explicit FactoryTable(std::shared_ptr<HostContext> host) : host_(std::move(host)) {}

  // Loads a target, or finds it loaded. A file that is not open yet is opened here, and its create function is
  // looked up; nothing else of it runs. `target.facts` must be there for a file, and without failure.
  Result<const Factory *> load(const Target &target);

  // Whether the target is loaded now.
  bool is_loaded(const Target &target) const;

  // Without a lock: the member's factory, if nothing has changed since it was found; null if it must be looked for.
  static const Factory *remembered(const Member &member, uint64_t epoch) noexcept {
    const LoadedAs *known = member.loaded().load(std::memory_order_acquire);
    return known && known->epoch.load(std::memory_order_acquire) == epoch ? known->factory : nullptr;
  }

  // `epoch` was read before the factory was looked for.
  void remember(const Member &member, const Factory &factory, uint64_t epoch);

 private:
  const Factory *find(uint64_t hash, const Target &target) const;
  const Factory *find_locked(uint64_t hash, const Target &target) const;

  const std::shared_ptr<HostContext> host_;
  mutable ForkSafeMutex mutex_;
  std::unordered_multimap<uint64_t, std::unique_ptr<Factory>> factories_;  // by the hash of their targets
  std::unordered_multimap<const Member *, LoadedAs> remembered_;           // one for each factory it ever led to
};

}  // namespace bkr::core

#endif  // BKR_LOAD_FACTORY_TABLE_H
