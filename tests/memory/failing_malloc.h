// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_MEMORY_FAILING_MALLOC_H
#define BKR_TESTS_MEMORY_FAILING_MALLOC_H

namespace memory {

// While it lives, the n-th allocation of this thread (and all that follow, if `for_good`) gives nothing. The whole
// program's malloc() and what stands on it obey: the library's, Boost's, the system loader's, the plugins'.
class NoMemoryAt {
 public:
  explicit NoMemoryAt(int n, bool for_good = false);
  ~NoMemoryAt();
  NoMemoryAt(const NoMemoryAt &) = delete;
  NoMemoryAt &operator=(const NoMemoryAt &) = delete;

  // Whether it came to that.
  static bool has_failed();
};

}  // namespace memory

#endif  // BKR_TESTS_MEMORY_FAILING_MALLOC_H
