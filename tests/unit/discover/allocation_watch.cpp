// SPDX-License-Identifier: Apache-2.0
// In a file of its own, where no compiler sees both a `new` and what stands behind it.
#include "allocation_watch.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace {
std::size_t largest = 0;
}

namespace bkr::core::testing {
std::size_t largest_allocation() { return largest; }
void forget_allocations() { largest = 0; }
}  // namespace bkr::core::testing

namespace {
void *watched(std::size_t size) noexcept {
  largest = std::max(largest, size);
  return std::malloc(size);
}
void *watched_or_throw(std::size_t size) {
  if (void *memory = watched(size)) return memory;
  throw std::bad_alloc();
}
}  // namespace

// Every kind there is, or what a sanitizer's own `new` gave would come to our `delete`.
void *operator new(std::size_t size) { return watched_or_throw(size); }
void *operator new[](std::size_t size) { return watched_or_throw(size); }
void *operator new(std::size_t size, const std::nothrow_t &) noexcept { return watched(size); }
void *operator new[](std::size_t size, const std::nothrow_t &) noexcept { return watched(size); }
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void *memory, const std::nothrow_t &) noexcept { std::free(memory); }
void operator delete[](void *memory, const std::nothrow_t &) noexcept { std::free(memory); }
