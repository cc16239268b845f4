// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_CASES_CASE_WRITER_H
#define BKR_TESTS_CASES_CASE_WRITER_H

// What the programs that make recorded cases have in common.

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "strided_tensor.h"

namespace bkr::test {

using Json = nlohmann::ordered_json;

// To 9 digits: enough for float32, and the same on every machine.
double rounded(double value);

// A tensor of a case whose element i, row-major, is value(i).
Json tensor_of(std::string_view dtype, const Shape &shape, const std::function<double(int64_t)> &value);
Json tensor_of(const StridedTensor &compact);

// The program: writes the cases to a folder, name.json each, or with --check says whether the files there are what it
// would write. Gives main's result.
int write_cases(const char *program, int count, char **arguments, const std::map<std::string, Json> &cases);

}  // namespace bkr::test

#endif  // BKR_TESTS_CASES_CASE_WRITER_H
