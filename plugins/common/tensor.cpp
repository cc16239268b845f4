// SPDX-License-Identifier: Apache-2.0
#include "tensor.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "refuse.h"

namespace cpu {
namespace {

std::string type_name(DLDataType type) {
  std::string name;
  switch (type.code) {
    case kDLInt:
      name = "int";
      break;
    case kDLUInt:
      name = "uint";
      break;
    case kDLFloat:
      name = "float";
      break;
    case kDLBfloat:
      name = "bfloat";
      break;
    default:
      name = "type code " + std::to_string(type.code) + " of bits ";
  }
  name += std::to_string(type.bits);
  return type.lanes == 1 ? name : name + "x" + std::to_string(type.lanes);
}

// a * b, both not negative, or the largest number if it does not fit.
int64_t times(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() : product;
}

int64_t plus(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

}  // namespace

Tensor::Tensor(const char *name, const DLTensor *tensor, int rank) : name_(name), tensor_(tensor) {
  if (tensor == nullptr) refuse(name, " is NULL");
  if (tensor->device.device_type != kDLCPU) {
    refuse(name, " is on device type ", static_cast<int>(tensor->device.device_type),
           ", but this backend works on the ", "CPU (", static_cast<int>(kDLCPU), ")");
  }
  if (tensor->ndim != rank) refuse(name, " has ", tensor->ndim, " dimensions; it must have ", rank);
  if (tensor->dtype.lanes != 1) refuse(name, " has elements of ", tensor->dtype.lanes, " lanes; it must be 1");
  if (tensor->dtype.bits == 0) refuse(name, " has elements of 0 bits");
  if (tensor->shape == nullptr) refuse(name, " has no shape (NULL)");
  for (int i = 0; i < rank; ++i) {
    if (size(i) < 0) refuse(name, "'s dimension ", i, " is ", size(i));
  }
  set_strides();
  check_memory();
}

void Tensor::set_strides() {
  int64_t compact = element_bytes();
  for (int i = tensor_->ndim - 1; i >= 0; --i) {
    int64_t &stride = byte_strides_[static_cast<std::size_t>(i)];
    if (tensor_->strides == nullptr) {
      stride = compact;
      compact = times(compact, std::max<int64_t>(1, size(i)));
      continue;
    }
    // The stride of a dimension with one element is never used, and frameworks leave anything there.
    if (size(i) <= 1) continue;
    const int64_t elements = tensor_->strides[i];
    if (elements < 0) refuse(name_, "'s stride of dimension ", i, " is ", elements, "; it must not be negative");
    stride = times(elements, element_bytes());
  }
}

void Tensor::check_memory() {
  int64_t last = 0;  // where the last element begins, in bytes
  for (int i = 0; i < tensor_->ndim; ++i) {
    last = plus(last, times(std::max<int64_t>(0, size(i) - 1), byte_stride(i)));
    if (size(i) == 0) empty_ = true;
  }
  if (plus(last, element_bytes()) == std::numeric_limits<int64_t>::max()) {
    refuse(name_, "'s shape and strides reach farther than memory can be addressed");
  }
  if (empty_) {  // nothing to point to, and nothing to step over
    byte_strides_.fill(0);
    return;
  }
  if (tensor_->data == nullptr) refuse(name_, " has no data (NULL)");
  if (tensor_->byte_offset > static_cast<uint64_t>(std::numeric_limits<int64_t>::max() - last)) {
    refuse(name_, "'s byte_offset is ", tensor_->byte_offset, ", farther than memory can be addressed");
  }
  data_ = static_cast<std::byte *>(tensor_->data) + tensor_->byte_offset;
  if (reinterpret_cast<uintptr_t>(data_) % static_cast<uintptr_t>(element_bytes()) != 0) {
    refuse(name_, "'s data is not aligned to its elements of ", element_bytes(), " bytes");
  }
}

Element Tensor::scattered_floating() const {
  const auto is = [&](DLDataTypeCode code, int bits) {
    return tensor_->dtype.code == code && tensor_->dtype.bits == bits;
  };
  if (is(kDLFloat, 32)) return Element::float32;
  if (is(kDLFloat, 16)) return Element::float16;
  if (is(kDLBfloat, 16)) return Element::bfloat16;
  refuse(name_, "'s elements are ", type_name(tensor_->dtype), "; they must be float32, float16 or bfloat16");
}

Element Tensor::floating() const {
  const Element element = scattered_floating();
  const int last = tensor_->ndim - 1;
  if (!empty_ && tensor_->ndim > 1 && size(last) > 1 && byte_stride(last) != element_bytes()) {
    refuse(name_, "'s stride of dimension ", last, " is ", byte_stride(last) / element_bytes(),
           "; it must be 1, the rows are read as a whole");
  }
  return element;
}

Element Tensor::floating_as(const Tensor &other) const {
  const Element element = floating();
  if (element != other.floating()) {
    refuse(name_, "'s elements are ", type_name(tensor_->dtype), ", but ", other.name_, "'s are ",
           type_name(other.tensor_->dtype));
  }
  return element;
}

void Tensor::expect_type(DLDataTypeCode code, int bits) const {
  if (tensor_->dtype.code == code && tensor_->dtype.bits == bits) return;
  const DLDataType expected{static_cast<uint8_t>(code), static_cast<uint8_t>(bits), 1};
  refuse(name_, "'s elements are ", type_name(tensor_->dtype), "; they must be ", type_name(expected));
}

void Tensor::expect_size(int dimension, int64_t expected, const char *meaning) const {
  if (size(dimension) == expected) return;
  refuse(name_, "'s dimension ", dimension, " (", meaning, ") is ", size(dimension), "; it must be ", expected);
}

void Tensor::expect_at_least(int dimension, int64_t least, const char *meaning) const {
  if (size(dimension) >= least) return;
  refuse(name_, "'s dimension ", dimension, " (", meaning, ") is ", size(dimension), "; it must be at least ", least);
}

void Tensor::expect_same(int dimension, const Tensor &other, int other_dimension, const char *meaning) const {
  if (size(dimension) == other.size(other_dimension)) return;
  refuse(name_, "'s dimension ", dimension, " (", meaning, ") is ", size(dimension), ", but ", other.name_,
         "'s dimension ", other_dimension, " is ", other.size(other_dimension));
}

void Tensor::expect_disjoint() const {
  if (empty_) return;
  std::vector<std::pair<int64_t, int>> dimensions;  // by stride, of equal ones the last first
  for (int i = 0; i < tensor_->ndim; ++i) {
    if (size(i) > 1) dimensions.emplace_back(byte_stride(i), -i);
  }
  std::sort(dimensions.begin(), dimensions.end());
  int64_t span = element_bytes();  // of what the dimensions before cover
  for (const auto &[stride, negated] : dimensions) {
    const int dimension = -negated;
    if (stride == 0) {
      refuse(name_, "'s stride of dimension ", dimension, " is 0, so that its elements overlap, but it is written");
    }
    if (stride < span) {
      refuse(name_, "'s stride of dimension ", dimension, " is ", stride / element_bytes(),
             ", so that its elements overlap; it must be at least ", span / element_bytes(), ", since it is written");
    }
    span += (size(dimension) - 1) * stride;
  }
}

}  // namespace cpu
