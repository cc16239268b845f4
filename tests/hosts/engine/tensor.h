// SPDX-License-Identifier: Apache-2.0
#ifndef ENGINE_TENSOR_H
#define ENGINE_TENSOR_H

#include <dlpack/dlpack.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

namespace engine {

// What a backend is shown of a tensor: the memory belongs to somebody else.
template <class T>
class View {
 public:
  View(T *data, std::vector<int64_t> shape, std::vector<int64_t> strides)
      : data_(data), shape_(std::move(shape)), strides_(std::move(strides)) {}

  // Lives as long as the view.
  operator const DLTensor *() const {
    tensor_.data = data_;
    tensor_.device = {kDLCPU, 0};
    tensor_.ndim = static_cast<int32_t>(shape_.size());
    tensor_.dtype = {std::is_floating_point_v<T> ? uint8_t{kDLFloat} : uint8_t{kDLInt}, uint8_t{8 * sizeof(T)}, 1};
    tensor_.shape = shape_.data();
    tensor_.strides = strides_.data();
    tensor_.byte_offset = 0;
    return &tensor_;
  }

 private:
  T *data_;
  mutable std::vector<int64_t> shape_;
  mutable std::vector<int64_t> strides_;
  mutable DLTensor tensor_{};
};

// A compact tensor that owns its elements.
template <class T>
struct Tensor {
  Tensor() = default;
  explicit Tensor(std::vector<int64_t> sizes, T value = {})
      : shape(std::move(sizes)),
        row_size(std::accumulate(shape.begin() + 1, shape.end(), int64_t{1}, std::multiplies<>())),
        data(static_cast<std::size_t>(rows() * row_size), value) {}

  T *row(int64_t i) { return data.data() + i * row_size; }
  const T *row(int64_t i) const { return data.data() + i * row_size; }
  int64_t rows() const { return shape[0]; }

  View<T> view() { return part(0, shape[0], {shape.begin() + 1, shape.end()}); }
  // The rows `first` … `first + count - 1`, and of each of them what lies from `offset` on, in the given shape.
  View<T> part(int64_t first, int64_t count, std::vector<int64_t> row_shape, int64_t offset = 0) {
    std::vector<int64_t> strides(row_shape.size() + 1, 1);
    for (std::size_t i = row_shape.size(); i > 1; --i) strides[i - 1] = strides[i] * row_shape[i - 1];
    strides[0] = row_size;
    row_shape.insert(row_shape.begin(), count);
    return {data.data() + first * row_size + offset, std::move(row_shape), std::move(strides)};
  }

  std::vector<int64_t> shape;
  int64_t row_size = 0;  // elements; kept, since every access to a row needs it
  std::vector<T> data;
};

using Floats = Tensor<float>;

}  // namespace engine

#endif  // ENGINE_TENSOR_H
