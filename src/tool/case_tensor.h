// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TOOL_CASE_TENSOR_H
#define BKR_TOOL_CASE_TENSOR_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "case_number.h"

namespace bkr::tool {

// A compact tensor that owns its elements.
class CaseTensor {
 public:
  CaseTensor(const NumberType &type, std::vector<int64_t> shape);

  const NumberType &type() const { return *type_; }
  const std::vector<int64_t> &shape() const { return shape_; }
  int64_t count() const { return count_; }

  double number(int64_t i) const { return read_number(type_->dtype, at(i)); }
  void set_number(int64_t i, double value) { write_number(type_->dtype, value, at(i)); }
  void set_whole(int64_t i, int64_t value) { write_whole(type_->dtype, value, at(i)); }

  // The place of element i, one number for each dimension.
  std::vector<int64_t> index(int64_t i) const;

  // Borrows this tensor, until it is changed in shape, moved or ended.
  DLTensor view();

 private:
  const std::byte *at(int64_t i) const { return bytes_.data() + static_cast<std::size_t>(i) * type_->bytes; }
  std::byte *at(int64_t i) { return bytes_.data() + static_cast<std::size_t>(i) * type_->bytes; }

  const NumberType *type_;
  std::vector<int64_t> shape_;
  int64_t count_;
  std::vector<std::byte> bytes_;
};

}  // namespace bkr::tool

#endif  // BKR_TOOL_CASE_TENSOR_H
