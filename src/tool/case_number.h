// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TOOL_CASE_NUMBER_H
#define BKR_TOOL_CASE_NUMBER_H

#include <dlpack/dlpack.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace bkr::tool {

// The element types that a case may have, by name: float32, float16, bfloat16, int32, int64.
struct NumberType {
  std::string_view name;
  DLDataType dtype;
  std::size_t bytes;
};
const std::vector<NumberType> &number_types();

// Nothing for an unknown type.
const NumberType *find_number_type(std::string_view name);
const NumberType *find_number_type(DLDataType dtype);

// One element of a supported type. A number that does not fit is rounded to nearest, ties to even; beyond the range
// of a floating type it becomes infinite.
double read_number(DLDataType dtype, const std::byte *from);
void write_number(DLDataType dtype, double value, std::byte *to);
// The same for whole numbers, of which a double holds only those up to 2^53.
int64_t read_whole(DLDataType dtype, const std::byte *from);
void write_whole(DLDataType dtype, int64_t value, std::byte *to);

inline bool is_whole(DLDataType dtype) { return dtype.code == kDLInt; }

}  // namespace bkr::tool

#endif  // BKR_TOOL_CASE_NUMBER_H
