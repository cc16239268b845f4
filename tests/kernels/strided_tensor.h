// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_KERNELS_STRIDED_TENSOR_H
#define BKR_TESTS_KERNELS_STRIDED_TENSOR_H

#include <dlpack/dlpack.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "case_number.h"

namespace bkr::test {

using Shape = std::vector<int64_t>;

// One element of any tensor that a kernel may be given.
inline const std::byte *element(const DLTensor &tensor, std::initializer_list<int64_t> index) {
  int64_t at = 0;
  int64_t compact = 1;
  for (int d = tensor.ndim - 1; d >= 0; --d) {
    at += index.begin()[d] * (tensor.strides != nullptr ? tensor.strides[d] : compact);
    compact *= tensor.shape[d];
  }
  return static_cast<const std::byte *>(tensor.data) + tensor.byte_offset + at * (tensor.dtype.bits / 8);
}
inline double number(const DLTensor &tensor, std::initializer_list<int64_t> index) {
  return tool::read_number(tensor.dtype, element(tensor, index));
}

// A tensor with strides of the test's choice, in memory whose every byte is 0xff at first: NaN in every floating
// type, and -1.
class StridedTensor {
 public:
  // `order`: the dimensions from the slowest to the fastest in memory, as many `gap` elements behind each row of the
  // fastest. By default compact and row-major.
  explicit StridedTensor(const std::string &dtype, Shape shape, std::vector<int> order = {}, int64_t gap = 0)
      : type_(tool::find_number_type(dtype)), shape_(std::move(shape)), strides_(shape_.size()) {
    if (order.empty()) {
      for (std::size_t d = 0; d < shape_.size(); ++d) order.push_back(static_cast<int>(d));
    }
    int64_t step = 1;
    for (auto d = order.rbegin(); d != order.rend(); ++d) {
      strides_[static_cast<std::size_t>(*d)] = step;
      step *= shape_[static_cast<std::size_t>(*d)];
      if (d == order.rbegin()) step += gap;
    }
    memory_.assign(static_cast<std::size_t>(kBefore + step) * type_->bytes, std::byte{0xff});
  }

  const std::string_view &dtype() const { return type_->name; }
  const Shape &shape() const { return shape_; }
  int64_t size(std::size_t d) const { return shape_[d]; }
  const std::vector<std::byte> &memory() const { return memory_; }

  double at(std::initializer_list<int64_t> index) { return number(*view(), index); }
  void set(std::initializer_list<int64_t> index, double value) {
    tool::write_number(type_->dtype, value, const_cast<std::byte *>(element(*view(), index)));
  }

  // Calls fn() for the value of each element, in row-major order.
  template <class Fn>
  void fill(Fn &&fn) {
    int64_t count = 1;
    for (const int64_t size : shape_) count *= size;
    for (int64_t i = 0; i < count; ++i) {
      int64_t rest = i;
      int64_t at = kBefore;
      for (std::size_t d = shape_.size(); d-- > 0; rest /= shape_[d]) at += rest % shape_[d] * strides_[d];
      tool::write_number(type_->dtype, fn(), memory_.data() + static_cast<std::size_t>(at) * type_->bytes);
    }
  }
  StridedTensor &with(const std::vector<double> &values) {
    auto next = values.begin();
    fill([&] { return *next++; });
    return *this;
  }

  // Valid until this object is moved or ends.
  const DLTensor *view() {
    tensor_.data = memory_.data();
    tensor_.byte_offset = kBefore * type_->bytes;
    tensor_.device = {kDLCPU, 0};
    tensor_.ndim = static_cast<int>(shape_.size());
    tensor_.dtype = type_->dtype;
    tensor_.shape = shape_.data();
    tensor_.strides = strides_.data();
    return &tensor_;
  }

 private:
  static constexpr int64_t kBefore = 4;  // elements that byte_offset steps over

  const tool::NumberType *type_;
  Shape shape_;
  Shape strides_;
  std::vector<std::byte> memory_;
  DLTensor tensor_{};
};

}  // namespace bkr::test

#endif  // BKR_TESTS_KERNELS_STRIDED_TENSOR_H
