// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.h"
#include "discover/cpu.h"
#include "discover/image.h"
#include "discover/plugin_file.h"

namespace bkr::core {

namespace {

constexpr std::string_view kLevel = "x86-64-v";

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

Result<void> check_cpu_level(const std::string &cpu_level) {
  if (cpu_level.empty()) return {};
  const std::vector<std::string> &levels = cpu_levels();
  for (const std::string_view item : split(cpu_level, ',')) {
    const std::string_view word = trimmed(item);
    if (word.empty() || std::find(levels.begin(), levels.end(), word) != levels.end()) continue;
    return fail(Failure{
        BKR_WRONG_PLATFORM, BKR_STAGE_CPU,
        cat("it needs a CPU with '", word, "'; this machine has ", levels.empty() ? own_machine() : join(levels)),
        "Use a variant of the plugin for a lower CPU level.", 0});
  }
  return {};
}

int cpu_level_rank(const std::string &cpu_level) noexcept {
  int rank = 0;
  for (std::size_t at = cpu_level.find(kLevel); at != std::string::npos; at = cpu_level.find(kLevel, at + 1)) {
    const std::size_t digit = at + kLevel.size();
    const bool starts = at == 0 || cpu_level[at - 1] == ',' || cpu_level[at - 1] == ' ';
    if (starts && digit < cpu_level.size() && cpu_level[digit] >= '0' && cpu_level[digit] <= '9') {
      rank = std::max(rank, cpu_level[digit] - '0');
    }
  }
  return rank;
}

const std::vector<std::string> &own_cpu_levels() { return cpu_levels(); }

}  // namespace bkr::core
