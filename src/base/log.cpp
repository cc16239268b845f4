// SPDX-License-Identifier: Apache-2.0
// The one file that includes spdlog.
#include "base/log.h"

#include <spdlog/common.h>

#include <cstdio>

namespace bkr::core {

namespace {

static_assert(BKR_LOG_TRACE - 1 == SPDLOG_LEVEL_TRACE && BKR_LOG_OFF - 1 == SPDLOG_LEVEL_OFF);

// Put together and written without a lock of ours or of spdlog's: stderr may be a pipe that nobody reads, and another
// thread that forks must not wait for it. (And without spdlog's patterns: what they can format, dates above all, would
// be a sixth of this library, and most of what the system has to bind when it is opened.)
void write_to_stderr(int32_t level, std::string_view text) {
  spdlog::memory_buf_t line;
  const auto add = [&](auto part) { line.append(part.data(), part.data() + part.size()); };
  add(std::string_view("[backend_registry] "));
  add(spdlog::level::to_string_view(static_cast<spdlog::level::level_enum>(level - 1)));
  add(std::string_view(": "));
  add(text);
  line.push_back('\n');
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace

void Log::write(int32_t level, std::string_view text) const noexcept {
  if (!enabled(level)) return;
  try {
    if (function_) {
      function_(user_, level, text.data(), text.size());
    } else {
      write_to_stderr(level, text);
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
