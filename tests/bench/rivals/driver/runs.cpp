// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "measures.h"

namespace rivals {

Runs run_rounds(const std::vector<Measure> &measures, int rounds) {
  Runs runs;
  for (int round = -1; round < rounds; ++round) {
    for (const Measure &measure : measures) {
      const std::optional<std::string> text = output_of(measure.command, measure.environment);
      if (!text) throw std::runtime_error(measure.name + " failed");
      if (round >= 0) runs[measure.name].push_back(std::stod(*text));
    }
  }
  return runs;
}

void run_starts(const std::filesystem::path &parts, int count, Runs &runs) {
  for (int i = 0; i < count; ++i) {
    for (const std::string linked : {"nothing", "stdcxx", "library"}) {
      runs["start." + linked].push_back(start_time((parts / ("start_" + linked)).string()));
    }
  }
}

void run_inside(const std::string &program, bool quick, const std::filesystem::path &folder, Runs &runs) {
  const std::string file = (folder / "inside.json").string();
  Command command = {program, "--benchmark_out_format=json", "--benchmark_out=" + file,
                     "--benchmark_enable_random_interleaving=true"};
  command.push_back(quick ? "--benchmark_min_time=0.001" : "--benchmark_min_time=0.1");
  command.push_back(quick ? "--benchmark_repetitions=2" : "--benchmark_repetitions=15");
  if (!output_of(command)) throw std::runtime_error(program + " failed");
  std::ifstream stream(file);
  const nlohmann::json document = nlohmann::json::parse(stream);
  for (const nlohmann::json &run : document.at("benchmarks")) {
    if (run.at("run_type") != "iteration") continue;
    // With several threads, the time that each of them was busy; a sleeping one is not.
    const std::string name = "inside." + run.at("run_name").get<std::string>();
    runs[name].push_back(run.at("cpu_time").get<double>());
    for (const char *counter : {"items_per_second", "heap_bytes_per_member"}) {
      if (run.contains(counter)) runs[name + "." + counter].push_back(run.at(counter).get<double>());
    }
  }
}

}  // namespace rivals
