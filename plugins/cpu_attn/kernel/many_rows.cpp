// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Core>

#include "block.h"

namespace cpu {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using View = Eigen::Map<Matrix, 0, Eigen::OuterStride<>>;
using ConstView = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;

View view(Block block, int64_t rows, int64_t columns) {
  return {block.data, rows, columns, Eigen::OuterStride<>(block.stride)};
}

ConstView view(const Tokens &tokens, int64_t stride, const float *copy) {
  return {copy, tokens.count, tokens.size, Eigen::OuterStride<>(stride)};
}

}  // namespace

void copy_tokens(const Tokens &tokens, float *copy) {
  with_element(tokens.element, [&](auto zero) {
    using E = decltype(zero);
    for (int64_t done = 0; done < tokens.count;) {
      const Run run = tokens.rows->run(tokens.first + done, tokens.count - done);
      for (int64_t i = 0; i < run.count; ++i) {
        widen_row(reinterpret_cast<const E *>(run.data + i * run.stride), tokens.size, copy);
        copy += tokens.size;
      }
      done += run.count;
    }
  });
}

bool all_finite(const Tokens &tokens) {
  return with_element(tokens.element, [&](auto zero) {
    using E = decltype(zero);
    Floats doubt{};  // 0 times a finite number is 0, and no number otherwise
    float doubt_in_rest = 0.0f;
    for (int64_t done = 0; done < tokens.count;) {
      const Run run = tokens.rows->run(tokens.first + done, tokens.count - done);
      for (int64_t i = 0; i < run.count; ++i) {
        const E *row = reinterpret_cast<const E *>(run.data + i * run.stride);
        int64_t at = 0;
        for (; at + kLanes <= tokens.size; at += kLanes) doubt += widen(row + at) * 0.0f;
        for (; at < tokens.size; ++at) doubt_in_rest += static_cast<float>(row[at]) * 0.0f;
      }
      done += run.count;
    }
    return sum(doubt) + doubt_in_rest == 0.0f;
  });
}

void scores_of_many(Block query, int64_t rows, const Tokens &keys, const float *copy, Block scores) {
  view(scores, rows, keys.count).noalias() = view(query, rows, keys.size) * view(keys, keys.size, copy).transpose();
}

void add_values_of_many(Block weights, int64_t rows, const Tokens &values, int64_t stride, const float *copy,
                        Block out) {
  view(out, rows, values.size).noalias() += view(weights, rows, values.count) * view(values, stride, copy);
}

}  // namespace cpu
