// SPDX-License-Identifier: Apache-2.0
#include "mla_prefill_reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "strided_tensor.h"

namespace bkr::test {
namespace {

struct Rows {
  int64_t begin, end;
};

Rows rows_of(const DLTensor &starts, int64_t request) {
  return {tool::read_whole(starts.dtype, element(starts, {request})),
          tool::read_whole(starts.dtype, element(starts, {request + 1}))};
}

// One query of one head on the keys `seen`.
void one_row(const bkr_mla_prefill_params &p, int64_t token, int64_t head, Rows seen, PrefillReference &result) {
  const int64_t tokens = p.query->shape[0];
  const int64_t heads = p.query->shape[1];
  const int64_t size = p.value->shape[2];
  double &lse = result.lse[static_cast<std::size_t>(head * tokens + token)];
  std::vector<double> scores;
  for (int64_t j = seen.begin; j < seen.end; ++j) {
    double product = 0;
    for (int64_t d = 0; d < p.query->shape[2]; ++d)
      product += number(*p.query, {token, head, d}) * number(*p.key, {j, head, d});
    scores.push_back(p.scale * product);
    result.largest_score = std::max(result.largest_score, std::fabs(scores.back()));
  }
  result.most_keys = std::max(result.most_keys, seen.end - seen.begin);
  if (scores.empty()) return;
  const double largest = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (const double score : scores) sum += std::exp(score - largest);
  lse = largest + std::log(sum);
  for (int64_t d = 0; d < size; ++d) {
    double &out = result.out[static_cast<std::size_t>((token * heads + head) * size + d)];
    for (int64_t j = seen.begin; j < seen.end; ++j) {
      const double value = number(*p.value, {j, head, d});
      out += std::exp(scores[static_cast<std::size_t>(j - seen.begin)] - lse) * value;
      result.largest_value = std::max(result.largest_value, std::fabs(value));
    }
  }
}

}  // namespace

PrefillReference mla_prefill_reference(const bkr_mla_prefill_params &p) {
  const int64_t tokens = p.query->shape[0];
  const int64_t heads = p.query->shape[1];
  PrefillReference result;
  result.out.assign(static_cast<std::size_t>(tokens * heads * p.value->shape[2]), 0.0);
  result.lse.assign(static_cast<std::size_t>(heads * tokens), -std::numeric_limits<double>::infinity());
  for (int64_t request = 0; request + 1 < p.query_start_loc->shape[0]; ++request) {
    const Rows queries = rows_of(*p.query_start_loc, request);
    const Rows keys = rows_of(*p.key_start_loc, request);
    for (int64_t token = queries.begin; token < queries.end; ++token) {
      const int64_t end = p.causal != 0 ? keys.begin + (token - queries.begin) + 1 : keys.end;
      for (int64_t head = 0; head < heads; ++head) one_row(p, token, head, {keys.begin, end}, result);
    }
  }
  return result;
}

}  // namespace bkr::test
