// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_BENCH_RIVALS_PROBE_H
#define BKR_TESTS_BENCH_RIVALS_PROBE_H

// A probe is a program that does one measure over one directory, in a process of its own, and prints the number:
//
//     probe_x <measure> <directory> [cold]
//
// Nanoseconds of the part that counts (bytes for `heap`). `cold`: the files' pages are dropped from memory before.

#include <chrono>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace rivals {

class Stopwatch {
 public:
  double ns() const {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct Measure {
  std::string_view name;
  double (*run)(const std::string &directory);
};

int run(int argc, char **argv, std::initializer_list<Measure> measures);

// Whether to go on: a probe that could not do what it measures must not print a number.
void expect(bool fine, std::string_view what);

// The paths of the libraries in a directory, in the order in which the system lists them.
std::vector<std::string> libraries_in(const std::string &directory);

// RIVAL_0001, from the path of that copy, whatever prefix its file has.
std::string name_in(const std::string &path);

// What the system's loader takes for a rival's own kind of plugin: each opened and asked for a symbol, closed or not.
double raw_load(const std::vector<std::string> &paths, const char *symbol, bool close);
template <const char *symbol>
double raw_load(const std::string &directory) {
  return raw_load(libraries_in(directory), symbol, false);
}
template <const char *symbol>
double raw_load_unload(const std::string &directory) {
  return raw_load(libraries_in(directory), symbol, true);
}

}  // namespace rivals

#endif  // BKR_TESTS_BENCH_RIVALS_PROBE_H
