// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_DISCOVER_FILE_READER_H
#define BKR_DISCOVER_FILE_READER_H

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/failure.h"

namespace bkr::core {

// What makes a file the same file. Equal identities share one verdict and one opening.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t size = 0;
  int64_t mtime_ns = 0;
  int64_t ctime_ns = 0;
  auto operator<=>(const FileIdentity &) const = default;  // NOLINT(modernize-use-nullptr): the check takes it for a 0
  bool same_inode(const FileIdentity &other) const { return device == other.device && inode == other.inode; }
};

// Device and inode alone: the names of one file have them in common whatever happens to its content meanwhile.
struct Inode {
  uint64_t device, inode;
  explicit Inode(const FileIdentity &identity) : device(identity.device), inode(identity.inode) {}
  bool operator==(const Inode &) const = default;
  uint64_t hash() const noexcept { return (device * 31 + inode) * 0x9E3779B97F4A7C15u; }
};

struct InodeHash {
  std::size_t operator()(const Inode &inode) const noexcept { return static_cast<std::size_t>(inode.hash()); }
};

// Who may change a file: what the policy (stage 9) needs to know.
struct FileOwnership {
  uint32_t uid = 0;
  uint32_t mode = 0;  // as st_mode
};

// Where a path is taken together with the descriptor of the directory that it leads to, the system need not walk it.
inline constexpr int kNoDirectory = -1;

// Reads a regular file by position, never past its end, never waiting (a FIFO or a device is refused), never
// through a mapping (a file cut short meanwhile gives an error, not a signal).
class FileReader {
 public:
  // BKR_NOT_FOUND, BKR_IO_ERROR (with errno), BKR_BAD_FILE (not a regular file: says what it is).
  static Result<FileReader> open(const std::string &path, int directory = kNoDirectory);
  FileReader(FileReader &&) noexcept;
  FileReader &operator=(FileReader &&) noexcept;
  ~FileReader();

  uint64_t size() const noexcept { return identity_.size; }
  const FileIdentity &identity() const noexcept { return identity_; }
  const FileOwnership &ownership() const noexcept { return ownership_; }

  // Fills `to` from `offset`; false if the file does not hold all of it.
  bool read(uint64_t offset, std::span<std::byte> to) const noexcept;

  // As many bytes as `room` has, from `offset`: where they were read already, or else in `room`. Null if the file does
  // not hold all of them.
  const std::byte *borrow(uint64_t offset, std::span<std::byte> room) const noexcept {
    const bool there = offset <= head_size_ && room.size() <= head_size_ - offset;
    return there ? head_.get() + offset : read_anew(offset, room);
  }

  // Whether the system gave less than the file holds: what was read then says nothing about the file.
  bool was_disturbed() const noexcept { return disturbed_; }

 private:
  FileReader() = default;
  const std::byte *read_anew(uint64_t offset, std::span<std::byte> room) const noexcept;
  // The first bytes, read with the opening: what most questions are about.
  static constexpr std::size_t kHeadSize = 4096;
  int handle_ = -1;
  mutable bool disturbed_ = false;
  std::size_t head_size_ = 0;
  FileIdentity identity_;
  FileOwnership ownership_;
  std::unique_ptr<std::byte[]> head_;
};

// What one stat() says of the regular file at `path`; BKR_NOT_FOUND, BKR_IO_ERROR or BKR_BAD_FILE.
struct FileStatus {
  FileIdentity identity;
  FileOwnership ownership;
};
Result<FileStatus> file_status(const std::string &path, int directory = kNoDirectory);

inline Result<FileIdentity> identify(const std::string &path) {
  Result<FileStatus> status = file_status(path);
  if (!status) return fail(std::move(status.error()));
  return status->identity;
}

}  // namespace bkr::core

#endif  // BKR_DISCOVER_FILE_READER_H
