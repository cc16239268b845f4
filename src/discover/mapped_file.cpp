// SPDX-License-Identifier: Apache-2.0
#include "discover/mapped_file.h"

#include <cinttypes>
#include <cstdio>
#include <fstream>

namespace bkr::core {

std::optional<MappedFile> mapped_file([[maybe_unused]] uintptr_t address) {
#if defined(__linux__)
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    uint64_t first = 0, last = 0, inode = 0;  // "first-last rights offset major:minor inode path"
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %" SCNu64, &first, &last, &inode) != 3) continue;
    if (address < first || address >= last) continue;
    const std::size_t slash = line.find('/');
    if (slash == std::string::npos) break;
    return MappedFile{line.substr(slash), inode};
  }
#endif
  return std::nullopt;
}

}  // namespace bkr::core
