// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

namespace rivals {

namespace {

using Json = nlohmann::ordered_json;

const char *const kLoaders[] = {"raw", "ours", "boost_dll",    "gmodule",  "poco",
                                "gio", "qt",   "class_loader", "gstreamer"};
const char *const kScanners[] = {"ours", "ours_cached", "bare_scan",    "open_close_all", "open_all",      "boost_dll",
                                 "qt",   "gio",         "class_loader", "gstreamer_cold", "gstreamer_warm"};

// Rival by the files that it loads: the plain ones, or its own.
std::string raw_of(const Runs &runs, const std::string &measure, const std::string &rival) {
  const std::string own = measure + "." + rival + ".raw";
  return runs.contains(own) ? own : measure + ".raw";
}

double thousandths(double number) { return std::round(number * 1000) / 1000; }

Json json_of(const Spread &spread) {
  return {{"median", thousandths(spread.median)},
          {"lower", thousandths(spread.lower)},
          {"upper", thousandths(spread.upper)}};
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

void print_cell(const Runs &runs, const std::string &name, double count) {
  if (!runs.contains(name)) {
    std::printf(" %12s", "-");
  } else {
    std::printf(" %12.1f", spread_of(runs.at(name)).median / count / 1000);
  }
}

}  // namespace

void print_goals(const std::vector<Goal> &goals) {
  std::printf("%-52s %10s  %-19s %12s  %s\n", "", "measured", "quartiles", "goal", "");
  for (const Goal &goal : goals) {
    std::printf("%-52s ", goal.what.c_str());
    if (!goal.measured) {
      std::printf("%10s\n", "not built");
      continue;
    }
    const Spread &spread = *goal.measured;
    std::printf("%10.2f  %8.2f .. %-8.2f", spread.median, spread.lower, spread.upper);
    if (goal.kind == Goal::kNone) {
      std::printf(" %12s\n", goal.unit.c_str());
      continue;
    }
    std::printf("%2s %6g %-3s  %s\n", goal.kind == Goal::kAtMost ? "<=" : ">=", goal.limit, goal.unit.c_str(),
                goal.is_reached() ? "reached" : "NOT REACHED");
  }
}

void print_rivals(const Runs &runs, const Extent &extent) {
  std::printf("\nload, create, destroy: µs a plugin, and the median ratio to raw dlopen with the same files\n");
  std::printf("%-16s %12s %7s %12s %7s\n", "", "nothing", "/ raw", "unmapped", "/ raw");
  for (const std::string rival : kLoaders) {
    std::printf("%-16s", rival.c_str());
    if (!runs.contains("load." + rival)) std::printf(" %12s", "not built");
    for (const std::string measure : {"load", "load_unload"}) {
      const std::string name = measure + "." + rival;
      if (!runs.contains(name)) continue;
      print_cell(runs, name, extent.few);
      const std::string raw = raw_of(runs, measure, rival);
      std::printf(" %7.2f", spread_of(ratios(runs.at(name), runs.at(raw))).median);
    }
    std::printf("\n");
  }
  std::printf("\ndiscovery: µs a directory of %d and of %d plugins, and with cold pages\n", extent.few, extent.many);
  for (const std::string scanner : kScanners) {
    std::printf("%-16s", scanner.c_str());
    const bool is_built = runs.contains("discover." + std::to_string(extent.few) + "." + scanner);
    if (!is_built) std::printf(" %12s\n", "not built");
    if (!is_built) continue;
    for (const std::string kind : {"discover.", "cold."}) {
      for (const int count : {extent.few, extent.many})
        print_cell(runs, kind + std::to_string(count) + "." + scanner, 1);
    }
    std::printf("\n");
  }
}

namespace {

Json document_of(const std::vector<Goal> &goals, const Runs &runs, const Extent &extent) {
  Json document;
  document["processor"] = processor();
  document["cpus"] = std::thread::hardware_concurrency();
  document["rounds"] = extent.rounds;
  document["scan_cache"] = extent.has_scan_cache;
  document["few"] = extent.few;
  document["many"] = extent.many;
  for (const Goal &goal : goals) {
    Json row = {{"what", goal.what}, {"unit", goal.unit}};
    if (goal.kind != Goal::kNone) row[goal.kind == Goal::kAtMost ? "at_most" : "at_least"] = goal.limit;
    if (goal.measured) row.update(json_of(*goal.measured));
    if (goal.kind != Goal::kNone && goal.measured) row["reached"] = goal.is_reached();
    document["goals"].push_back(row);
  }
  for (const std::string measure : {"load", "load_unload"}) {
    for (const std::string rival : kLoaders) {
      const std::string name = measure + "." + rival;
      if (!runs.contains(name)) continue;
      const std::vector<double> to_raw = ratios(runs.at(name), runs.at(raw_of(runs, measure, rival)));
      document["ratio_to_raw"][measure][rival] = json_of(spread_of(to_raw));
    }
  }
  for (const auto &[name, numbers] : runs) {
    Json row = json_of(spread_of(numbers));
    for (const double number : numbers) row["runs"].push_back(thousandths(number));
    document["measured"][name] = row;
  }
  return document;
}

}  // namespace

// One goal and one measure a line, so that two runs can be compared.
void write_json(const std::string &file, const std::vector<Goal> &goals, const Runs &runs, const Extent &extent) {
  std::ofstream stream(file);
  const Json document = document_of(goals, runs, extent);
  const char *before = "{\n";
  for (const auto &[key, value] : document.items()) {
    stream << before << Json(key) << ": ";
    before = ",\n";
    if (!value.is_structured()) {
      stream << value;
      continue;
    }
    const char *between = value.is_array() ? "[\n  " : "{\n  ";
    for (const auto &[inner_key, inner] : value.items()) {
      stream << between;
      if (value.is_object()) stream << Json(inner_key) << ": ";
      stream << inner;
      between = ",\n  ";
    }
    stream << (value.is_array() ? "\n]" : "\n}");
  }
  stream << "\n}\n";
  if (!stream.flush()) throw std::runtime_error(file + " cannot be written");
}

}  // namespace rivals
