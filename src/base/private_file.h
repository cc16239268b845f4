// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_BASE_PRIVATE_FILE_H
#define BKR_BASE_PRIVATE_FILE_H

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/failure.h"

namespace bkr::core {

// Files that only this user may have written: the directory and the file belong to the user of this process, and nobody
// else may write to them.

// All bytes of the file; null if it is not there, not private, no regular file, or larger than `most`.
struct FileBytes {
  std::unique_ptr<char[]> bytes;
  std::size_t size = 0;
  std::string_view view() const noexcept { return {bytes.get(), size}; }
};
FileBytes read_private_file(const std::string &directory, const std::string &path, std::size_t most);

// Puts a file with these bytes in the place of `path`, which lies in `directory`, in one step; makes the directory and
// its parents if they are missing. While another process does the same it is left to that one. BKR_IO_ERROR,
// BKR_DENIED (the directory is not private).
Result<void> write_private_file(const std::string &directory, const std::string &path, std::string_view bytes);

}  // namespace bkr::core

#endif  // BKR_BASE_PRIVATE_FILE_H
