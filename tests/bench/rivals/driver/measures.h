// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_BENCH_RIVALS_MEASURES_H
#define BKR_TESTS_BENCH_RIVALS_MEASURES_H

// What is measured, and all that was.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "copies.h"
#include "process.h"

namespace rivals {

// How much of it: as the goals say, or so little that it only shows that everything runs.
struct Extent {
  int rounds = 15;
  int few = 100;
  int many = 1000;
  int unrelated = 3000;
  int starts = 200;
  bool has_scan_cache = false;  // found out while measuring: a library without it scans anew
};

// By name: one number a round. What is not built is not there.
using Runs = std::map<std::string, std::vector<double>>;

// One probe with one measure. Names: load.<rival>, load.<rival>.raw (the system's loader, with that rival's plugins),
// the same with load_unload, discover.<count>.<who>, cold.<count>.<who>, unrelated.<who>, heap.<count>.
struct Measure {
  std::string name;
  Command command;
  std::map<std::string, std::string> environment;
};

std::vector<Measure> measures(const std::filesystem::path &parts, Copies &copies, const Extent &extent);

// Each measure once a round, one after the other, so that what disturbs the machine disturbs all of them. A round
// before the first fills the caches and does not count.
Runs run_rounds(const std::vector<Measure> &measures, int rounds);

// start.nothing, start.stdcxx, start.library: interleaved likewise.
void run_starts(const std::filesystem::path &parts, int count, Runs &runs);

// What the benchmarks inside one process print: inside.<benchmark>, ns, and inside.<benchmark>.<counter>.
void run_inside(const std::string &program, bool quick, const std::filesystem::path &folder, Runs &runs);

}  // namespace rivals

#endif  // BKR_TESTS_BENCH_RIVALS_MEASURES_H
