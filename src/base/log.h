// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_BASE_LOG_H
#define BKR_BASE_LOG_H

#include <backend_registry/registry.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "base/fork_safe_mutex.h"

namespace bkr::core {

// Where a registry writes its lines: the host's function, or stderr through spdlog. Shared by the registry and
// by the backends that outlive it.
class Log {
 public:
  Log(int32_t level, bkr_log_fn function, void *user) : level_(level), function_(function), user_(user) {}

  bool enabled(int32_t level) const noexcept { return level >= level_ && level < BKR_LOG_OFF; }
  void write(int32_t level, std::string_view text) const noexcept;

  // As write(), of what `make_text()` returns. The text is made only if it is wanted; if it cannot be made there is no
  // line: that is no reason to fail what it speaks of.
  template <class MakeText>
  void tell(int32_t level, const MakeText &make_text) const noexcept {
    if (!enabled(level)) return;
    try {
      write(level, make_text());
    } catch (...) {
    }
  }

  // As write(), but a text that was written before is not written again: a failure that repeats is told once. Of all
  // texts the last few thousand are remembered: a plugin that puts the time of day into its own must not fill the
  // memory.
  void write_once(int32_t level, const std::string &text) noexcept;

  // As write_once(), of a text that is made as for tell().
  template <class MakeText>
  void tell_once(int32_t level, const MakeText &make_text) noexcept {
    if (!enabled(level)) return;
    try {
      write_once(level, make_text());
    } catch (...) {
    }
  }

 private:
  static constexpr std::size_t kRemembered = 2000;  // and as many again from before
  const int32_t level_;
  const bkr_log_fn function_;
  void *const user_;
  ForkSafeMutex mutex_;
  std::unordered_set<std::string> written_;
  std::unordered_set<std::string> written_before_;
};

// The level that a word of BKR_LOG means; nothing for another word.
std::optional<int32_t> log_level_from(std::string_view word) noexcept;

}  // namespace bkr::core

#endif  // BKR_BASE_LOG_H
