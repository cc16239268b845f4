// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_COMMON_TENSOR_H
#define CPU_COMMON_TENSOR_H

#include <dlpack/dlpack.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "element.h"

namespace cpu {

// A tensor of a call, under the name it has in the interface. What can be said of it by itself (that it is there, on
// the CPU, of this rank, with sound strides, in memory that can be addressed) is checked when it is made; a check
// that fails throws bkr::error with a text that names tensor and dimension.
class Tensor {
 public:
  static constexpr int kMaxRank = 5;

  Tensor(const char *name, const DLTensor *tensor, int rank);

  const char *name() const { return name_; }
  int rank() const { return tensor_->ndim; }
  int64_t size(int dimension) const { return tensor_->shape[dimension]; }
  int64_t byte_stride(int dimension) const { return byte_strides_[static_cast<std::size_t>(dimension)]; }
  std::byte *data() const { return data_; }

  // The element type, if it is one of the three; rows must be contiguous then.
  Element floating() const;
  // As floating(), but the rows may have gaps between their elements.
  Element scattered_floating() const;
  // As floating(), and the same as another tensor's.
  Element floating_as(const Tensor &other) const;
  void expect_type(DLDataTypeCode code, int bits) const;

  // `meaning` is a word for the dimension: "heads".
  void expect_size(int dimension, int64_t size, const char *meaning) const;
  void expect_at_least(int dimension, int64_t least, const char *meaning) const;
  void expect_same(int dimension, const Tensor &other, int other_dimension, const char *meaning) const;

  // For a tensor that is written: no element lies where another one does.
  void expect_disjoint() const;

 private:
  void set_strides();
  void check_memory();
  int64_t element_bytes() const { return (tensor_->dtype.bits + 7) / 8; }

  const char *name_;
  const DLTensor *tensor_;
  bool empty_ = false;
  std::byte *data_ = nullptr;
  std::array<int64_t, kMaxRank> byte_strides_{};
};

}  // namespace cpu

#endif  // CPU_COMMON_TENSOR_H
