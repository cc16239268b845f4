// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_BENCH_RIVALS_REPORT_H
#define BKR_TESTS_BENCH_RIVALS_REPORT_H

// The tables that are printed, and the same as JSON with every single run.
#include <string>
#include <vector>

#include "goals.h"
#include "measures.h"

namespace rivals {

void print_goals(const std::vector<Goal> &goals);

// Each rival's time, and its ratio to the system's loader with the same files.
void print_rivals(const Runs &runs, const Extent &extent);

void write_json(const std::string &file, const std::vector<Goal> &goals, const Runs &runs, const Extent &extent);

}  // namespace rivals

#endif  // BKR_TESTS_BENCH_RIVALS_REPORT_H
