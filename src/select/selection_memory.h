// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_SELECT_SELECTION_MEMORY_H
#define BKR_SELECT_SELECTION_MEMORY_H

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/fork_safe_mutex.h"
#include "select/selection.h"

namespace bkr::core {

// The selections of one registry that were made since it last changed: an engine that asks the same for each of its
// layers makes and asks no backends again. Of more than a few hundred different ones the older are forgotten.
class SelectionMemory {
 public:
  // Null if it was not kept, or at another epoch.
  std::shared_ptr<const Selection> find(const std::string &key, uint64_t epoch) const;

  // `epoch` was read before the selection was made.
  void keep(std::string key, uint64_t epoch, std::shared_ptr<const Selection> selection);

 private:
  using Table = std::unordered_map<std::string, std::shared_ptr<const Selection>>;
  static constexpr std::size_t kMost = 128;  // and as many again from before

  mutable ForkSafeMutex mutex_;  // all below
  uint64_t epoch_ = 0;
  Table recent_;
  Table before_;
};

}  // namespace bkr::core

#endif  // BKR_SELECT_SELECTION_MEMORY_H
