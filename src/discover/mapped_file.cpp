// SPDX-License-Identifier: Apache-2.0
#include "discover/mapped_file.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace bkr::core {

std::optional<MappedFile> mapped_file([[maybe_unused]] uintptr_t address) {
#if defined(__linux__)
  // Not a stream: the library would need the iostreams and locales of the run time for this alone.
  const std::unique_ptr<std::FILE, int (*)(std::FILE *)> maps(std::fopen("/proc/self/maps", "re"), std::fclose);
  struct Line {  // getline()'s
    char *text = nullptr;
    std::size_t capacity = 0;
    ~Line() { std::free(text); }
  } buffer;
  while (maps && ::getline(&buffer.text, &buffer.capacity, maps.get()) > 0) {
    std::string_view line = buffer.text;
    if (line.ends_with('\n')) line.remove_suffix(1);
    uint64_t first = 0, last = 0, inode = 0;  // "first-last rights offset major:minor inode path"
    if (std::sscanf(buffer.text, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %" SCNu64, &first, &last, &inode) != 3) continue;
    if (address < first || address >= last) continue;
    const std::size_t slash = line.find('/');
    if (slash == std::string_view::npos) break;
    return MappedFile{std::string(line.substr(slash)), inode};
  }
#endif
  return std::nullopt;
}

}  // namespace bkr::core
