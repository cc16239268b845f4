// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_FUZZ_BUDGET_H
#define BKR_TESTS_FUZZ_BUDGET_H

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bkr::core::fuzzing {

// What an input may cost: no single allocation above so many bytes, and a time that only a loop out of bounds takes.
class Budget {
 public:
  explicit Budget(std::size_t largest_allocation);

  // Aborts if more was spent since the construction; `what` says on what.
  void require_kept(std::string_view what) const;

 private:
  std::size_t largest_allocation_;
  int64_t begin_ns_;
};

}  // namespace bkr::core::fuzzing

#endif  // BKR_TESTS_FUZZ_BUDGET_H
