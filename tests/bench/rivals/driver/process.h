// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_BENCH_RIVALS_PROCESS_H
#define BKR_TESTS_BENCH_RIVALS_PROCESS_H

// Programs that the driver starts.
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rivals {

using Command = std::vector<std::string>;  // the first is the program's path

// Runs a program with the driver's environment and more; what it prints on stdout, or nothing if it fails.
std::optional<std::string> output_of(const Command &command, const std::map<std::string, std::string> &more = {});

// Starts a program and waits for its end: the wall time of both, in ns.
double start_time(const std::string &program);

}  // namespace rivals

#endif  // BKR_TESTS_BENCH_RIVALS_PROCESS_H
