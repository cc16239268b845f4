// SPDX-License-Identifier: Apache-2.0
// POSIX. A system without these calls gets a file of its own beside this one.
#include "discover/directory.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <system_error>

#include "base/process_wide.h"
#include "base/text.h"
#include "discover/mapped_file.h"

namespace bkr::core {

namespace {

tl::unexpected<Failure> system_failure(const std::string &path, int code) {
  if (code == ENOMEM) throw std::bad_alloc();
  const bkr_status status = code == ENOENT ? BKR_NOT_FOUND : code == ENOTDIR ? BKR_BAD_FILE : BKR_IO_ERROR;
  const std::string found = code == ENOENT ? std::string(" does not exist.")
                                           : cat(" cannot be read: ", std::generic_category().message(code), ".");
  return fail(Failure{status, BKR_STAGE_OPEN, cat(path, found), "Check the path.", code});
}

bool is_regular(DIR *directory, const dirent &entry) noexcept {
#if defined(DT_REG)
  if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_REG;
#endif
  struct stat status {};
  return ::fstatat(::dirfd(directory), entry.d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode);
}

// The names in a directory often begin alike. What comes behind that decides almost always within eight bytes, which
// are compared as one number.
void sort_by_name(std::vector<DirectoryEntry> &entries) {
  if (entries.empty()) return;
  std::string_view alike = entries.front().name;
  for (const DirectoryEntry &entry : entries) {
    const auto end = std::mismatch(alike.begin(), alike.end(), entry.name.begin(), entry.name.end()).first;
    alike = alike.substr(0, static_cast<std::size_t>(end - alike.begin()));
  }
  for (DirectoryEntry &entry : entries) {
    const std::string_view rest = entry.name.substr(alike.size(), sizeof entry.key);
    for (const char c : rest) entry.key = entry.key << 8 | static_cast<unsigned char>(c);
    // No name has a NUL: one that ends comes first.
    for (std::size_t i = rest.size(); i < sizeof entry.key; ++i) entry.key <<= 8;
  }
  std::sort(entries.begin(), entries.end(), [](const DirectoryEntry &a, const DirectoryEntry &b) {
    return a.key != b.key ? a.key < b.key : a.name < b.name;
  });
}

}  // namespace

Result<std::string> canonical_path(const std::string &path) {
  const std::unique_ptr<char, decltype(&std::free)> text(::realpath(path.c_str(), nullptr), &std::free);
  if (!text) return system_failure(path, errno);
  return std::string(text.get());
}

std::string absolute_path(const std::string &path) {
  if (path.empty() || path.front() == '/') return path;
  std::error_code error;
  const std::string base = std::filesystem::current_path(error).string();
  // The kernel marks a directory that cannot be reached from the root.
  if (error || base.empty() || base.front() != '/') return {};
  return base.back() == '/' ? base + path : cat(base, "/", path);
}

Result<Directory> read_directory(const std::string &path, bool (*wanted)(std::string_view) noexcept) {
  DIR *const stream = ::opendir(path.c_str());
  if (!stream) return system_failure(path, errno);
  Directory directory;
  directory.open = {stream, ::closedir};
  directory.handle = ::dirfd(stream);
  struct stat status {};
  if (::fstat(directory.handle, &status) != 0) return system_failure(path, errno);
  directory.identity.device = static_cast<uint64_t>(status.st_dev);
  directory.identity.inode = static_cast<uint64_t>(status.st_ino);
  directory.ownership = {static_cast<uint32_t>(status.st_uid), static_cast<uint32_t>(status.st_mode)};
  while (const dirent *entry = ::readdir(stream)) {
    const std::string_view name = entry->d_name;
    if (wanted(name)) {
      directory.entries.push_back({{directory.names.copy(name), name.size()}, is_regular(stream, *entry)});
    }
  }
  sort_by_name(directory.entries);
  return directory;
}

Result<FileOwnership> parent_ownership(const std::string &path, std::string &parent) {
  parent = path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
  struct stat status {};
  if (::stat(parent.c_str(), &status) != 0) return system_failure(parent, errno);
  return FileOwnership{static_cast<uint32_t>(status.st_uid), static_cast<uint32_t>(status.st_mode)};
}

namespace {

std::string find_own_library() {
  static const char here = 0;  // lies in the library's own file
  Dl_info info{};
  if (::dladdr(&here, &info) == 0 || info.dli_fname == nullptr) return {};
  std::string name = info.dli_fname;
  // The kernel is right also when the program has changed its working directory since it was linked to the library
  // under a relative name.
  if (!name.starts_with('/')) {
    if (const std::optional<MappedFile> mapped = mapped_file(reinterpret_cast<uintptr_t>(&here))) name = mapped->path;
  }
  return canonical_path(name).value_or(std::string());
}

}  // namespace

const std::string &own_library_path() {
  static constinit ProcessWide<const std::string> path;
  return path.get(find_own_library);
}

}  // namespace bkr::core
