// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_DISCOVER_MAPPED_FILE_H
#define BKR_DISCOVER_MAPPED_FILE_H

#include <cstdint>
#include <optional>
#include <string>

namespace bkr::core {

// A file that is mapped into this process, as the kernel names it.
struct MappedFile {
  std::string path;  // of now: another one if the file was renamed, with " (deleted)" behind it if it is gone
  uint64_t inode = 0;
};

// The file that is mapped at an address; nothing if there is none, or the system does not tell.
std::optional<MappedFile> mapped_file(uintptr_t address);

}  // namespace bkr::core

#endif  // BKR_DISCOVER_MAPPED_FILE_H
