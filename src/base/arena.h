// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_BASE_ARENA_H
#define BKR_BASE_ARENA_H

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace bkr::core {

// Memory that is only ever added to and goes all at once: names and paths live as long as their registry.
// Blocks have one size (a doubling arena would waste up to half of what it holds). Not synchronised.
class Arena {
 public:
  void *allocate(std::size_t size, std::size_t alignment) {
    std::size_t start = (used_ + alignment - 1) & ~(alignment - 1);
    if (blocks_.empty() || start + size > kBlockSize) {
      if (size > kBlockSize / 4) {
        // A text as long as this gets a block of its own, behind the one that is being filled.
        large_.push_back(std::make_unique<std::byte[]>(size));
        return large_.back().get();
      }
      blocks_.push_back(std::make_unique<std::byte[]>(kBlockSize));
      start = 0;
    }
    used_ = start + size;
    return blocks_.back().get() + start;
  }

  // A copy of `text` with a NUL behind it.
  const char *copy(std::string_view text) {
    char *to = static_cast<char *>(allocate(text.size() + 1, 1));
    *std::copy(text.begin(), text.end(), to) = '\0';
    return to;
  }

 private:
  static constexpr std::size_t kBlockSize = 4096 - 32;  // with the allocator's own header, one page
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::vector<std::unique_ptr<std::byte[]>> large_;
  std::size_t used_ = 0;
};

}  // namespace bkr::core

#endif  // BKR_BASE_ARENA_H
