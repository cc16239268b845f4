// SPDX-License-Identifier: Apache-2.0
#include "memory_file.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "require.h"

namespace bkr::core::fuzzing {

MemoryFile::MemoryFile() : handle_(::memfd_create("fuzzed", MFD_CLOEXEC)), path_(cat("/proc/self/fd/", handle_)) {
  // At first others may write to it, which the policy would say of every input.
  require(handle_ >= 0 && ::fchmod(handle_, 0600) == 0, "no file in memory");
}

MemoryFile::~MemoryFile() { ::close(handle_); }

void MemoryFile::rewrite(std::string_view bytes) {
  const auto size = static_cast<off_t>(bytes.size());
  require(::pwrite(handle_, bytes.data(), bytes.size(), 0) == size && ::ftruncate(handle_, size) == 0,
          "the file in memory cannot be written");
}

}  // namespace bkr::core::fuzzing
