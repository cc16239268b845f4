// SPDX-License-Identifier: Apache-2.0
// The one file that includes spdlog.
#include "base/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <memory>

#include "base/process_wide.h"

namespace bkr::core {

namespace {

static_assert(BKR_LOG_TRACE - 1 == SPDLOG_LEVEL_TRACE && BKR_LOG_OFF - 1 == SPDLOG_LEVEL_OFF);

// The process's way to stderr. (spdlog's own lock could be held by another thread when the process forks.)
class Stderr {
 public:
  Stderr() : logger_("backend_registry", std::make_shared<spdlog::sinks::stderr_sink_st>()) {
    logger_.set_level(spdlog::level::trace);  // Log::level_ has decided already
    logger_.set_pattern("[%n] %l: %v");
  }
  void write(int32_t level, std::string_view text) {
    const std::lock_guard lock(mutex_);
    logger_.log(static_cast<spdlog::level::level_enum>(level - 1), spdlog::string_view_t(text.data(), text.size()));
  }

 private:
  ForkSafeMutex mutex_;
  spdlog::logger logger_;
};

constinit ProcessWide<Stderr> standard_error;

}  // namespace

void Log::write(int32_t level, std::string_view text) const noexcept {
  if (!enabled(level)) return;
  try {
    if (function_) {
      function_(user_, level, text.data(), text.size());
    } else {
      standard_error.get().write(level, text);
    }
  } catch (...) {
    // A line that cannot be written is no reason to fail what it speaks of.
  }
}

void Log::write_once(int32_t level, const std::string &text) noexcept {
  if (!enabled(level)) return;
  try {
    const std::lock_guard lock(mutex_);
    if (written_before_.contains(text) || !written_.insert(text).second) return;
    if (written_.size() == kRemembered) {
      written_before_.swap(written_);
      written_.clear();
    }
  } catch (...) {
    return;
  }
  write(level, text);
}

std::optional<int32_t> log_level_from(std::string_view word) noexcept {
  constexpr std::string_view words[] = {"trace", "debug", "info", "warn", "err", "critical", "off"};
  for (int32_t i = 0; i < 7; ++i) {
    if (word == words[i]) return i + BKR_LOG_TRACE;
  }
  return std::nullopt;
}

}  // namespace bkr::core
