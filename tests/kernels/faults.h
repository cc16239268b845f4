// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_KERNELS_FAULTS_H
#define BKR_TESTS_KERNELS_FAULTS_H

// What a caller can get wrong. A Call is a struct of a test: parameters in order, into which one fault is put.

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "plugin_under_test.h"
#include "strided_tensor.h"

namespace bkr::test {

inline constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

template <class Call>
struct Fault {
  std::vector<std::string> named;  // in the text
  std::function<void(Call &)> make;
  bkr_status status = BKR_INVALID_ARGUMENT;
};

// Copies of the DLTensors of a call, so that a fault in one field touches no other.
class EditableTensors {
 public:
  void replace(std::initializer_list<const DLTensor **> fields) {
    for (const DLTensor **field : fields) {
      const DLTensor &from = **field;
      Copy &copy = copies_.emplace_back(
          Copy{from, Shape(from.shape, from.shape + from.ndim), Shape(from.strides, from.strides + from.ndim)});
      copy.tensor.shape = copy.shape.data();
      copy.tensor.strides = copy.strides.data();
      *field = &copy.tensor;
    }
  }

  static DLTensor &edit(const DLTensor *tensor) { return const_cast<DLTensor &>(*tensor); }

 private:
  struct Copy {
    DLTensor tensor;
    Shape shape;
    Shape strides;
  };
  std::deque<Copy> copies_;
};

template <class Call>
void expect_text(const Outcome &outcome, const Fault<Call> &fault) {
  EXPECT_EQ(outcome.status, fault.status) << fault.named.front() << ": " << outcome.text;
  for (const std::string &word : fault.named) {
    EXPECT_NE(outcome.text.find(word), std::string::npos) << "'" << word << "' is not in: " << outcome.text;
  }
}

// Faults that every tensor can have, in the one that `field(call)` gives.
template <class Call, class Field>
std::vector<Fault<Call>> faults_of_any(const std::string &name, const Field &field) {
  const auto edit = [field](auto change) {
    return [field, change](Call &call) { change(EditableTensors::edit(field(call))); };
  };
  return {
      {{name, "NULL"}, [field](Call &call) { field(call) = nullptr; }},
      {{name, "dimensions"}, edit([](DLTensor &t) { t.ndim -= 1; })},
      {{name, "dimensions"}, edit([](DLTensor &t) { t.ndim = 0; })},
      {{name, "device"}, edit([](DLTensor &t) { t.device.device_type = kDLCUDA; })},
      {{name, "lanes"}, edit([](DLTensor &t) { t.dtype.lanes = 4; })},
      {{name, "float64"}, edit([](DLTensor &t) {
         t.dtype = {kDLFloat, 64, 1};
       })},
      {{name, "uint8"}, edit([](DLTensor &t) {
         t.dtype = {kDLUInt, 8, 1};
       })},
      {{name, "shape"}, edit([](DLTensor &t) { t.shape = nullptr; })},
      {{name, "dimension 0", "-3"}, edit([](DLTensor &t) { t.shape[0] = -3; })},
      {{name, "stride of dimension 0", "-1"}, edit([](DLTensor &t) { t.strides[0] = -1; })},
      {{name, "memory"}, edit([](DLTensor &t) { t.strides[0] = kHuge / 2; })},
      {{name, "memory"}, edit([](DLTensor &t) { t.shape[0] = kHuge; })},
      {{name, "byte_offset"}, edit([](DLTensor &t) { t.byte_offset = std::numeric_limits<uint64_t>::max() - 3; })},
      {{name, "no data"}, edit([](DLTensor &t) { t.data = nullptr; })},
      {{name, "not aligned"}, edit([](DLTensor &t) { t.byte_offset += 1; })},
  };
}

}  // namespace bkr::test

#endif  // BKR_TESTS_KERNELS_FAULTS_H
