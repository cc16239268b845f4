// SPDX-License-Identifier: Apache-2.0
// Gives a target the inputs of a corpus, one after the other: the program for builds without libFuzzer.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

#include "fuzz_target.h"

namespace {

std::vector<char> read_file(const std::filesystem::path &path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " <folder or input>\n";
    return 2;
  }
  std::vector<std::filesystem::path> inputs;
  if (std::filesystem::is_directory(argv[1])) {
    for (const auto &entry : std::filesystem::directory_iterator(argv[1])) inputs.push_back(entry.path());
  } else if (std::filesystem::is_regular_file(argv[1])) {
    inputs.emplace_back(argv[1]);
  }
  std::sort(inputs.begin(), inputs.end());
  if (inputs.empty()) {
    std::cerr << argv[1] << " holds no inputs\n";
    return 1;
  }
  for (const std::filesystem::path &input : inputs) {
    std::cout << input.filename().string() << std::endl;  // the last line names the one that aborts
    const std::vector<char> bytes = read_file(input);
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
  }
  std::cout << inputs.size() << " inputs, every promise kept\n";
}
