// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_TOOL_CHILD_PROCESS_H
#define BKR_TESTS_TOOL_CHILD_PROCESS_H

#include <filesystem>
#include <map>
#include <string>
#include <vector>

struct Finished {
  int exit_code = -1;  // -1: it died of a signal
  std::string out;
  std::string err;
};

using Variables = std::map<std::string, std::string>;

// Runs a program to its end. Its environment is this process's without any BKR_ variable, and with `variables`.
// What it writes goes through files in `scratch`; out_file, if not empty, receives stdout instead.
Finished run_program(const std::vector<std::string> &command, const Variables &variables,
                     const std::filesystem::path &scratch, const std::filesystem::path &out_file = {});

std::string read_bytes(const std::filesystem::path &file);
void write_bytes(const std::filesystem::path &file, const std::string &bytes);

#endif  // BKR_TESTS_TOOL_CHILD_PROCESS_H
