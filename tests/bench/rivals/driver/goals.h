// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_BENCH_RIVALS_GOALS_H
#define BKR_TESTS_BENCH_RIVALS_GOALS_H

// What the library set out to reach, beside what was measured.
#include <optional>
#include <string>
#include <vector>

#include "elf_facts.h"
#include "measures.h"
#include "numbers.h"

namespace rivals {

struct Goal {
  std::string what;
  std::string unit;  // "x" for a ratio
  enum { kAtMost, kAtLeast, kNone } kind;
  double limit;
  std::optional<Spread> measured;  // not there: a rival or a benchmark is not built

  bool is_reached() const {
    return measured && (kind == kNone || (kind == kAtMost ? measured->median <= limit : measured->median >= limit));
  }
};

std::vector<Goal> goals(const Runs &runs, const ElfFacts &library, const Extent &extent);

}  // namespace rivals

#endif  // BKR_TESTS_BENCH_RIVALS_GOALS_H
