// SPDX-License-Identifier: Apache-2.0
// Runs all probes and benchmarks, prints the goals with what was measured, and writes everything as JSON. A goal that
// is missed is said and is no failure: the machine may be busy. A probe that does not run is one.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "report.h"

int main(int argc, char **argv) try {
  std::string parts, work, json;
  std::vector<std::string> inside;
  bool quick = false;
  rivals::Extent extent;
  CLI::App app("This library beside its rivals.");
  app.add_option("--parts", parts, "where the probes and plugins were built")->required();
  app.add_option("--work", work, "a folder for copies of plugins, emptied before and removed after")->required();
  app.add_option("--inside", inside, "benchmarks that run in one process");
  app.add_option("--json", json, "the file for all numbers");
  app.add_option("--rounds", extent.rounds, "how often each is measured")->check(CLI::PositiveNumber);
  app.add_flag("--quick", quick, "see only whether everything runs");
  CLI11_PARSE(app, argc, argv);
  if (quick) extent = {2, 20, 20, 100, 4, false};

  rivals::Copies copies(parts, work);
  const std::vector<rivals::Measure> measures = rivals::measures(parts, copies, extent);
  copies.settle();
  rivals::Runs runs = rivals::run_rounds(measures, extent.rounds);
  extent.has_scan_cache = !std::filesystem::is_empty(copies.folder("cache"));
  rivals::run_starts(parts, extent.starts, runs);
  for (const std::string &program : inside) rivals::run_inside(program, quick, copies.folder("inside"), runs);

  const rivals::ElfFacts library = rivals::read_elf_facts(parts + "/stripped.so");
  const std::vector<rivals::Goal> goals = rivals::goals(runs, library, extent);
  rivals::print_goals(goals);
  rivals::print_rivals(runs, extent);
  if (!extent.has_scan_cache) std::printf("\nThis library has no scan cache: \"cached\" is not.\n");
  if (!json.empty()) rivals::write_json(json, goals, runs, extent);
  return 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "rivals_bench: %s\n", error.what());
  return 1;
}
