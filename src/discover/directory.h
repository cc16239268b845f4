// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_DISCOVER_DIRECTORY_H
#define BKR_DISCOVER_DIRECTORY_H

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/failure.h"
#include "discover/file_reader.h"

namespace bkr::core {

// The absolute path without links, "." and "..". BKR_NOT_FOUND, or BKR_IO_ERROR with errno.
Result<std::string> canonical_path(const std::string &path);

// `path` itself if it is absolute, else fixed against the working directory; empty if that is deleted.
std::string absolute_path(const std::string &path);

struct DirectoryEntry {
  std::string_view name;  // in Directory::names
  bool regular = false;   // surely a regular file and no link; false: not known
  uint64_t key = 0;       // sorts it before its name does
};

struct Directory {
  std::shared_ptr<void> open;  // while it is, the system finds the entries by `handle` without walking their paths
  int handle = kNoDirectory;
  FileIdentity identity;
  FileOwnership ownership;
  std::vector<DirectoryEntry> entries;  // sorted by the bytes of their names
  Arena names;
};

// Lists the entries that `wanted` accepts by name; none of them is opened. BKR_BAD_FILE: not a directory.
Result<Directory> read_directory(const std::string &path, bool (*wanted)(std::string_view) noexcept);

// The owner and rights of the directory that holds `path`.
Result<FileOwnership> parent_ownership(const std::string &path, std::string &parent);

// The file that holds the code of this very library, absolute; empty if the system cannot tell. The system's loader is
// asked at the first call only: not to be made under a lock.
const std::string &own_library_path();

}  // namespace bkr::core

#endif  // BKR_DISCOVER_DIRECTORY_H
