// SPDX-License-Identifier: Apache-2.0
// POSIX. A system without these calls gets a file of its own beside this one.
#include "base/private_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/text.h"

namespace bkr::core {

namespace {

class Handle {
 public:
  explicit Handle(int number) noexcept : number_(number) {}
  Handle(const Handle &) = delete;
  Handle &operator=(const Handle &) = delete;
  ~Handle() {
    if (number_ >= 0) ::close(number_);
  }
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

bool write_all(int handle, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t count = ::write(handle, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

tl::unexpected<Failure> not_written(const std::string &path, int code) {
  return fail(Failure{BKR_IO_ERROR, BKR_STAGE_NONE,
                      cat(path, " cannot be written: ", std::generic_category().message(code), "."),
                      "Give this user the right to write there, or set XDG_CACHE_HOME to another directory.", code});
}

}  // namespace

std::optional<std::string> read_private_file(const std::string &directory, const std::string &path, std::size_t most) {
  if (!is_private_directory(directory)) return std::nullopt;
  const Handle file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW));
  struct stat status {};
  if (!file || ::fstat(*file, &status) != 0 || !S_ISREG(status.st_mode) || !is_private(status)) return std::nullopt;
  if (status.st_size < 0 || static_cast<uint64_t>(status.st_size) > most) return std::nullopt;
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::read(*file, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    done += static_cast<std::size_t>(count);
  }
  return bytes;
}

Result<void> write_private_file(const std::string &directory, const std::string &path, std::string_view bytes) {
  // The last one is made for this user alone, whatever the umask says.
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::path(directory).parent_path();
  if (!std::filesystem::exists(parent, error)) std::filesystem::create_directories(parent, error);
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) return not_written(directory, errno);
  if (!is_private_directory(directory)) {
    return fail(BKR_DENIED,
                cat(directory, " is not used: it must belong to this user, and nobody else may write there."),
                "Correct its owner and rights, or set XDG_CACHE_HOME to another directory.");
  }
  std::string temporary = path + ".XXXXXX";
  const Handle file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!file) return not_written(temporary, errno);
  if (!write_all(*file, bytes) || ::rename(temporary.c_str(), path.c_str()) != 0) {
    const int code = errno;
    ::unlink(temporary.c_str());
    return not_written(path, code);
  }
  return {};
}

}  // namespace bkr::core
