// SPDX-License-Identifier: Apache-2.0
#include "select/selection_memory.h"

#include <mutex>
#include <utility>

namespace bkr::core {

std::shared_ptr<const Selection> SelectionMemory::find(const std::string &key, uint64_t epoch) const {
  const std::lock_guard lock(mutex_);
  if (epoch != epoch_) return nullptr;
  for (const Table *table : {&recent_, &before_}) {
    if (const auto found = table->find(key); found != table->end()) return found->second;
  }
  return nullptr;
}

void SelectionMemory::keep(std::string key, uint64_t epoch, std::shared_ptr<const Selection> selection) {
  Table forgotten;  // ends after the lock does
  Table forgotten_too;
  const std::lock_guard lock(mutex_);
  if (epoch < epoch_) return;
  if (epoch > epoch_) {
    forgotten.swap(recent_);
    forgotten_too.swap(before_);
    epoch_ = epoch;
  } else if (recent_.size() >= kMost) {
    forgotten.swap(before_);
    before_.swap(recent_);
  }
  recent_.insert_or_assign(std::move(key), std::move(selection));
}

}  // namespace bkr::core
