// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_DISCOVER_SCAN_CACHE_H
#define BKR_DISCOVER_SCAN_CACHE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/private_file.h"
#include "discover/file_facts.h"

namespace bkr::core {

// What earlier scans of this user read in the files that are still the same, in one file that belongs to this library's
// version and machine. It is never needed: bytes that are not as they should be, a file or directory that others may
// write or that is not the user's own, or one that cannot be written, are as if there were no cache. What is judged of
// a file's facts (ABI, CPU level, owners, filters) is judged anew each time.
//
// A file is the same while device, inode, size and both times are. Since the system's clock for these times stands
// still for some milliseconds, and a file that is written through a mapping can change for half a minute without a
// trace, what was written within the last minute before it was read is not kept.
class ScanCache {
 public:
  // `directory`: where it lies; need not exist. `now_ns`: the system's clock, in nanoseconds since 1970.
  explicit ScanCache(std::string directory, int64_t now_ns = system_clock_ns());

  // Whether a file is known, which counts as met then; fills what is known of it into facts that are empty.
  bool find(const FileIdentity &identity, FileFacts &facts);

  // Keeps what was read from a file, failures with their reasons included.
  void keep(const FileIdentity &identity, const FileFacts &facts);

  // Whether there is anything to write.
  bool has_news() const noexcept { return !added_.empty(); }

  // Writes a new file in the place of the old one, at once for all readers, if there is anything new in it.
  // BKR_IO_ERROR, BKR_DENIED.
  Result<void> write() const;

  const std::string &directory() const noexcept { return directory_; }

 private:
  struct Entry {
    FileIdentity identity;
    uint32_t missed = 0;  // how often it was written again without being met
    uint32_t size = 0;    // of its facts
  };
  struct Head;
  using Entries = std::vector<std::pair<Entry, std::string_view>>;

  static int64_t system_clock_ns();
  static Head own_head();
  static Entries entries_of(std::string_view file);
  Entries entries_to_write() const;

  std::string directory_;
  std::string path_;
  int64_t now_ns_;
  FileBytes file_;   // as it was read
  Entries entries_;  // of it, sorted by identity; met: `missed` is 0
  std::vector<std::pair<FileIdentity, std::string>> added_;
};

}  // namespace bkr::core

#endif  // BKR_DISCOVER_SCAN_CACHE_H
