// SPDX-License-Identifier: Apache-2.0
#include "failing_malloc.h"

#include <cerrno>
#include <cstddef>

// glibc's own functions under the names that a program may not take.
extern "C" {
void *__libc_malloc(std::size_t);
void *__libc_calloc(std::size_t, std::size_t);
void *__libc_realloc(void *, std::size_t);
void *__libc_memalign(std::size_t, std::size_t);
}

namespace {

// Plain numbers: an object with a constructor would allocate.
thread_local int allocations_left = 0;  // 0: not watched
thread_local bool all_that_follow = false;
thread_local bool failed = false;

bool may_allocate() {
  if (allocations_left == 0) return true;
  if (allocations_left > 1) {
    --allocations_left;
    return true;
  }
  failed = true;
  if (!all_that_follow) allocations_left = 0;
  errno = ENOMEM;
  return false;
}

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))
EXPORTED void *malloc(std::size_t size) { return may_allocate() ? __libc_malloc(size) : nullptr; }
EXPORTED void *calloc(std::size_t count, std::size_t size) {
  return may_allocate() ? __libc_calloc(count, size) : nullptr;
}
EXPORTED void *realloc(void *at, std::size_t size) { return may_allocate() ? __libc_realloc(at, size) : nullptr; }
EXPORTED void *memalign(std::size_t alignment, std::size_t size) {
  return may_allocate() ? __libc_memalign(alignment, size) : nullptr;
}
EXPORTED void *aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
EXPORTED int posix_memalign(void **at, std::size_t alignment, std::size_t size) {
  void *made = memalign(alignment, size);
  if (!made) return ENOMEM;
  *at = made;
  return 0;
}

namespace memory {

NoMemoryAt::NoMemoryAt(int n, bool for_good) {
  failed = false;
  all_that_follow = for_good;
  allocations_left = n;
}

NoMemoryAt::~NoMemoryAt() { allocations_left = 0; }

bool NoMemoryAt::has_failed() { return failed; }

}  // namespace memory
