// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_CASES_CASE_DOCUMENT_H
#define BKR_TESTS_CASES_CASE_DOCUMENT_H

// What the programs that make recorded cases share: tensors as JSON, and files written or checked.

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "strided_tensor.h"

namespace bkr::test {

using Json = nlohmann::ordered_json;

// To 9 digits.
double rounded(double value);

Json tensor_of(std::string_view dtype, const Shape &shape, const std::function<double(int64_t)> &value);
// A compact tensor as it is.
Json tensor_of(StridedTensor &tensor);
// Results of a reference, rounded.
Json result_of(const Shape &shape, const std::vector<double> &values);

// Writes the cases as FOLDER/<name>.json, or says which file is not what would be written. The exit code of a program.
int write_or_check(const std::map<std::string, Json> &cases, const std::string &folder, bool check);

// The whole of such a program: [--check] FOLDER.
int make_cases(int count, char **arguments, std::map<std::string, Json> (*cases)());

}  // namespace bkr::test

#endif  // BKR_TESTS_CASES_CASE_DOCUMENT_H
