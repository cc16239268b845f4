// SPDX-License-Identifier: Apache-2.0
// POSIX. A system without these calls gets a file of its own beside this one.
#include "base/private_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace bkr::core {

namespace {

class Handle {
 public:
  explicit Handle(int number) noexcept : number_(number) {}
  Handle(const Handle &) = delete;
  Handle &operator=(const Handle &) = delete;
  ~Handle() { close(); }
  // Some file systems say only now that they could not write.
  bool close() noexcept { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }
  explicit operator bool() const noexcept { return number_ >= 0; }
  int operator*() const noexcept { return number_; }

 private:
  int number_;
};

bool is_private(const struct stat &status) noexcept {
  return status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool is_private_directory(const std::string &directory) noexcept {
  struct stat status {};
  return ::stat(directory.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && is_private(status);
}

// With all that are missing above it; what is made is for this user alone, whatever the umask says.
int make_directory(const std::string &path) {
  const auto make = [&] { return ::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST ? 0 : errno; };
  const int code = make();
  const std::size_t slash = path.rfind('/');
  if (code != ENOENT || slash == 0 || slash == std::string::npos) return code;
  const int above = make_directory(path.substr(0, slash));
  return above != 0 ? above : make();
}

bool write_all(int handle, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t count = ::write(handle, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

// A process that died while it wrote left its file.
bool is_left_behind(const std::string &path) noexcept {
  constexpr std::time_t kMinute = 60;
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return false;
  const std::time_t age = std::time(nullptr) - status.st_mtime;
  return age > kMinute || age < -kMinute;  // clocks are set back, too
}

bool is_still(int handle, const std::string &path) noexcept {
  struct stat opened {};
  struct stat there {};
  return ::fstat(handle, &opened) == 0 && ::lstat(path.c_str(), &there) == 0 && opened.st_dev == there.st_dev &&
         opened.st_ino == there.st_ino;
}

int open_new(const std::string &path) noexcept {
  const auto open = [&] { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600); };
  const int handle = open();
  if (handle >= 0 || errno != EEXIST) return handle;
  if (is_left_behind(path) && ::unlink(path.c_str()) == 0) return open();
  errno = EEXIST;
  return -1;
}

tl::unexpected<Failure> not_written(const std::string &path, int code) {
  return fail(Failure{BKR_IO_ERROR, BKR_STAGE_NONE,
                      cat(path, " cannot be written: ", std::generic_category().message(code), "."),
                      "Give this user the right to write there, or set XDG_CACHE_HOME to another directory.", code});
}

}  // namespace

FileBytes read_private_file(const std::string &directory, const std::string &path, std::size_t most) {
  if (!is_private_directory(directory)) return {};
  const Handle file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW));
  struct stat status {};
  if (!file || ::fstat(*file, &status) != 0 || !S_ISREG(status.st_mode) || !is_private(status)) return {};
  if (status.st_size < 0 || static_cast<uint64_t>(status.st_size) > most) return {};
  FileBytes all;
  all.size = static_cast<std::size_t>(status.st_size);
  all.bytes.reset(new char[all.size]);  // not zeroed: half of the time would go there
  std::size_t done = 0;
  while (done < all.size) {
    const ssize_t count = ::read(*file, all.bytes.get() + done, all.size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return {};
    done += static_cast<std::size_t>(count);
  }
  return all;
}

Result<void> write_private_file(const std::string &directory, const std::string &path, std::string_view bytes) {
  if (const int code = make_directory(directory); code != 0) return not_written(directory, code);
  if (!is_private_directory(directory)) {
    return fail(BKR_DENIED,
                cat(directory, " is not used: it must belong to this user, and nobody else may write there."),
                "Correct its owner and rights, or set XDG_CACHE_HOME to another directory.");
  }
  const std::string fresh = path + ".new";
  Handle file(open_new(fresh));
  if (!file) {
    if (errno == EEXIST) return {};
    return not_written(fresh, errno);
  }
  int code = write_all(*file, bytes) ? 0 : errno;
  // Whoever took it for left behind has put a file of its own in its place, which is not ours to move.
  if (!is_still(*file, fresh)) return {};
  if (code == 0 && (!file.close() || ::rename(fresh.c_str(), path.c_str()) != 0)) code = errno;
  if (code == 0) return {};
  ::unlink(fresh.c_str());
  return not_written(path, code);
}

}  // namespace bkr::core
