// SPDX-License-Identifier: Apache-2.0
#include "diagnostics.h"

#include <cstdio>
#include <mutex>
#include <string_view>
#include <unordered_set>

namespace bkr::tool {

namespace {

const char *level_word(int32_t level) {
  switch (level) {
    case BKR_LOG_TRACE:
      return "trace";
    case BKR_LOG_DEBUG:
      return "debug";
    case BKR_LOG_INFO:
      return "info";
    case BKR_LOG_WARN:
      return "warning";
    default:
      return "error";
  }
}

// Every line of stderr comes through here, at once: the last word of a plugin that then crashes must not be lost.
class Diagnostics {
 public:
  void write(int32_t level, const std::string &text) {
    const std::lock_guard lock(mutex_);
    if (level >= BKR_LOG_ERR) told_.insert(text);
    put(level, text);
  }

  void write_unless_told(const std::string &text) {
    const std::lock_guard lock(mutex_);
    if (told_.insert(text).second) put(BKR_LOG_ERR, text);
  }

 private:
  static void put(int32_t level, const std::string &text) {
    const std::string line = std::string("bkr: ") + level_word(level) + ": " + text + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
  }

  std::mutex mutex_;
  std::unordered_set<std::string> told_;  // errors that stand on stderr already
};

// Never destroyed: a plugin may log while the process ends.
Diagnostics &diagnostics() {
  static auto *const made = new Diagnostics;
  return *made;
}

void BKR_CALL log(void * /*user*/, int32_t level, const char *text, std::size_t size) {
  diagnostics().write(level, std::string(text, size));
}

}  // namespace

bkr::registry open_registry(const std::vector<std::string> &search_dirs, uint32_t flags) {
  bkr::config config;
  config.search_dirs = search_dirs;
  config.flags = flags;
  config.log = log;
  return bkr::registry::open(config);
}

void report_failure(const std::string &text) { diagnostics().write_unless_told(text); }

}  // namespace bkr::tool
