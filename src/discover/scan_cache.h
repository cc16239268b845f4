// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_DISCOVER_SCAN_CACHE_H
#define BKR_DISCOVER_SCAN_CACHE_H

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "discover/file_facts.h"

namespace bkr::core {

// What earlier scans of this user read in the files that are still the same, in one file that belongs to this library's
// version. It is never needed: bytes that are not as they should be, a file or directory that others may write or that
// is not the user's own, or one that cannot be written, are as if there were no cache.
//
// A file is the same while device, inode, size and both times are. Since the system's clock for these times stands
// still for some milliseconds, what changed within the last seconds before it was read is not kept: it might change
// once more without a trace.
class ScanCache {
 public:
  // `directory`: where it lies; need not exist. `now_ns`: the system's clock, in nanoseconds since 1970.
  explicit ScanCache(std::string directory, int64_t now_ns = system_clock_ns());

  std::optional<FileFacts> find(const FileIdentity &identity) const;

  // Keeps what was read from a file, failures with their reasons included. (Not those of the system, which may go away
  // without a change of the file.)
  void keep(const FileIdentity &identity, const FileFacts &facts);

  // Writes a new file in the place of the old one, at once for all readers, if there is anything new in it.
  // BKR_IO_ERROR names the path.
  Result<void> write() const;

  const std::string &directory() const noexcept { return directory_; }

 private:
  static int64_t system_clock_ns();
  void read();

  std::string directory_;
  std::string path_;
  int64_t now_ns_;
  std::string bytes_;                                                             // of the file that was read
  std::unordered_map<FileIdentity, std::string_view, FileIdentityHash> entries_;  // into bytes_
  std::unordered_map<FileIdentity, std::string, FileIdentityHash> added_;
};

}  // namespace bkr::core

#endif  // BKR_DISCOVER_SCAN_CACHE_H
