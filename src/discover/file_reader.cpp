// SPDX-License-Identifier: Apache-2.0
// POSIX. A system without these calls gets a file of its own beside this one.
#include "discover/file_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace bkr::core {

namespace {

tl::unexpected<Failure> open_failure(bkr_status status, std::string reason, std::string next, int native_code = 0) {
  return fail(Failure{status, BKR_STAGE_OPEN, std::move(reason), std::move(next), native_code});
}

tl::unexpected<Failure> system_failure(const std::string &path, int code) {
  if (code == ENOENT || code == ENOTDIR) {
    struct stat link {};
    if (::lstat(path.c_str(), &link) == 0 && S_ISLNK(link.st_mode)) {
      return open_failure(BKR_NOT_FOUND, cat(path, " is a link to a file that does not exist."),
                          "Remove the link, or put the file where it leads.", code);
    }
    return open_failure(BKR_NOT_FOUND, cat(path, " does not exist."), "Check the path.", code);
  }
  return open_failure(BKR_IO_ERROR, cat(path, " cannot be read: ", std::generic_category().message(code), "."),
                      code == EACCES ? "Give this user the right to read it, and to enter its directories."
                                     : "Check the path, its links, and the disk it lies on.",
                      code);
}

std::string_view kind_of(mode_t mode) noexcept {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a named pipe";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "no regular file";
}

tl::unexpected<Failure> not_regular(const std::string &path, mode_t mode) {
  return open_failure(BKR_BAD_FILE, cat(path, " is ", kind_of(mode), ", not a shared library."),
                      "Name the plugin's file itself.");
}

// A file may have any time, also one that nanoseconds do not reach: times are told apart, and seldom compared.
int64_t nanoseconds(const timespec &time) noexcept {
  return static_cast<int64_t>(static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec));
}

FileIdentity identity_of(const struct stat &status) noexcept {
  FileIdentity identity;
  identity.device = static_cast<uint64_t>(status.st_dev);
  identity.inode = static_cast<uint64_t>(status.st_ino);
  identity.size = static_cast<uint64_t>(status.st_size);
#if defined(__APPLE__)
  identity.mtime_ns = nanoseconds(status.st_mtimespec);
  identity.ctime_ns = nanoseconds(status.st_ctimespec);
#else
  identity.mtime_ns = nanoseconds(status.st_mtim);
  identity.ctime_ns = nanoseconds(status.st_ctim);
#endif
  return identity;
}

FileOwnership ownership_of(const struct stat &status) noexcept {
  return {static_cast<uint32_t>(status.st_uid), static_cast<uint32_t>(status.st_mode)};
}

// What the system is asked for: all of the path, or its last component in its directory.
struct Place {
  Place(const std::string &path, int in)
      : directory(in == kNoDirectory ? AT_FDCWD : in),
        name(path.c_str() + (in == kNoDirectory ? 0 : path.rfind('/') + 1)) {}
  int directory;
  const char *name;
};

// The head of a reader that is closed, for the next one: a scan reads a thousand files one after the other, and for
// pieces of this size allocators have no quick way.
constinit std::atomic<std::byte *> spare_head{nullptr};

// Reads up to `to.size()` bytes; fewer only at the end of the file or after an error.
std::size_t read_at(int handle, uint64_t offset, std::span<std::byte> to) noexcept {
  std::size_t done = 0;
  while (done < to.size()) {
    const ssize_t count = ::pread(handle, to.data() + done, to.size() - done, static_cast<off_t>(offset + done));
    if (count > 0) {
      done += static_cast<std::size_t>(count);
    } else if (count == 0 || errno != EINTR) {
      break;
    }
  }
  return done;
}

}  // namespace

Result<FileReader> FileReader::open(const std::string &path, int directory) {
  const Place place(path, directory);
  FileReader reader;
  do {
    reader.handle_ = ::openat(place.directory, place.name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  } while (reader.handle_ < 0 && errno == EINTR);
  struct stat status {};
  if (reader.handle_ < 0) {
    const int code = errno;
    if (::fstatat(place.directory, place.name, &status, 0) == 0 && !S_ISREG(status.st_mode)) {
      return not_regular(path, status.st_mode);
    }
    return system_failure(path, code);
  }
  if (::fstat(reader.handle_, &status) != 0) return system_failure(path, errno);
  if (!S_ISREG(status.st_mode)) return not_regular(path, status.st_mode);
  reader.identity_ = identity_of(status);
  reader.ownership_ = ownership_of(status);

  const auto wanted = static_cast<std::size_t>(std::min<uint64_t>(reader.size(), kHeadSize));
  reader.head_.reset(spare_head.exchange(nullptr));
  if (!reader.head_) reader.head_ = std::make_unique_for_overwrite<std::byte[]>(kHeadSize);
  errno = 0;
  reader.head_size_ = read_at(reader.handle_, 0, {reader.head_.get(), wanted});
  if (reader.head_size_ < wanted && errno != 0) return system_failure(path, errno);
  return reader;
}

FileReader::FileReader(FileReader &&other) noexcept
    : handle_(std::exchange(other.handle_, -1)),
      disturbed_(other.disturbed_),
      head_size_(other.head_size_),
      identity_(other.identity_),
      ownership_(other.ownership_),
      head_(std::move(other.head_)) {}

FileReader &FileReader::operator=(FileReader &&other) noexcept {
  std::swap(handle_, other.handle_);
  disturbed_ = other.disturbed_;
  head_size_ = other.head_size_;
  identity_ = other.identity_;
  ownership_ = other.ownership_;
  head_ = std::move(other.head_);
  return *this;
}

FileReader::~FileReader() {
  if (handle_ >= 0) ::close(handle_);
  if (head_) head_.reset(spare_head.exchange(head_.release()));
}

bool FileReader::read(uint64_t offset, std::span<std::byte> to) const noexcept {
  if (to.empty()) return offset <= size();
  const std::byte *const found = borrow(offset, to);
  if (found && found != to.data()) std::memcpy(to.data(), found, to.size());
  return found != nullptr;
}

const std::byte *FileReader::read_anew(uint64_t offset, std::span<std::byte> room) const noexcept {
  if (offset > size() || room.size() > size() - offset) return nullptr;
  if (read_at(handle_, offset, room) == room.size()) return room.data();
  disturbed_ = true;
  return nullptr;
}

Result<FileStatus> file_status(const std::string &path, int directory) {
  const Place place(path, directory);
  struct stat status {};
  if (::fstatat(place.directory, place.name, &status, 0) != 0) return system_failure(path, errno);
  if (!S_ISREG(status.st_mode)) return not_regular(path, status.st_mode);
  return FileStatus{identity_of(status), ownership_of(status)};
}

}  // namespace bkr::core
