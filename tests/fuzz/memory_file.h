// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_FUZZ_MEMORY_FILE_H
#define BKR_TESTS_FUZZ_MEMORY_FILE_H

#include <string>
#include <string_view>

namespace bkr::core::fuzzing {

// A real file, but one that no disk and no directory has: quick to rewrite, and gone with the process.
class MemoryFile {
 public:
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  const std::string &path() const noexcept { return path_; }  // opens the file, as long as this process lives
  void rewrite(std::string_view bytes);

 private:
  int handle_;
  std::string path_;
};

}  // namespace bkr::core::fuzzing

#endif  // BKR_TESTS_FUZZ_MEMORY_FILE_H
