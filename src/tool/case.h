// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TOOL_CASE_H
#define BKR_TOOL_CASE_H

// A recorded case: the inputs of an interface and what comes out of them, in a JSON file.
//
//     {"interface": "bkr.attention/1", "params": {name: value, …},
//      "tensors":   {name: {"dtype": "float32", "shape": [2, 3], "data": [1, 2, 3, 4, 5, 6]}, …},
//      "expected":  {name: {…}, …},
//      "tolerance": {"absolute": 1e-5, "relative": 1e-5}}
//
// data is flat and row-major; the numbers that JSON lacks are written "nan", "inf" and "-inf". The names of params
// and tensors are those in the interface's header.

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "case_tensor.h"

namespace bkr::tool {

// A case that cannot be read, or that the backend refused; the text is for people.
class CaseError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Tolerance {
  double absolute = 0;
  double relative = 0;
};

using CaseTensors = std::map<std::string, CaseTensor>;

struct Case {
  std::string interface_id;
  nlohmann::json params;  // an object
  CaseTensors tensors;
  CaseTensors expected;
  Tolerance tolerance;
};

Case parse_case(const std::string &text);
Case read_case_file(const std::string &path);

}  // namespace bkr::tool

#endif  // BKR_TOOL_CASE_H
