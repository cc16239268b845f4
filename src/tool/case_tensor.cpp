// SPDX-License-Identifier: Apache-2.0
#include "case_tensor.h"

#include <utility>

namespace bkr::tool {

CaseTensor::CaseTensor(const NumberType &type, std::vector<int64_t> shape)
    : type_(&type), shape_(std::move(shape)), count_(1) {
  for (const int64_t size : shape_) count_ *= size;
  bytes_.resize(static_cast<std::size_t>(count_) * type.bytes);
}

std::vector<int64_t> CaseTensor::index(int64_t i) const {
  std::vector<int64_t> place(shape_.size());
  for (std::size_t dimension = shape_.size(); dimension-- > 0;) {
    place[dimension] = i % shape_[dimension];
    i /= shape_[dimension];
  }
  return place;
}

DLTensor CaseTensor::view() {
  DLTensor tensor{};
  tensor.data = bytes_.data();
  tensor.device = {kDLCPU, 0};
  tensor.ndim = static_cast<int>(shape_.size());
  tensor.dtype = type_->dtype;
  tensor.shape = shape_.data();
  return tensor;
}

}  // namespace bkr::tool
