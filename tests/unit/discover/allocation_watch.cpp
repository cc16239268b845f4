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

void *operator new(std::size_t size) {
  largest = std::max(largest, size);
  if (void *memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }
