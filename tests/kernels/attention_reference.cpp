// SPDX-License-Identifier: Apache-2.0
#include "attention_reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "strided_tensor.h"

namespace bkr::test {
namespace {

class Loops {
 public:
  explicit Loops(const bkr_attention_forward_params &params)
      : p_(params),
        paged_(params.attn_type == BKR_ATTN_DECODER || params.attn_type == BKR_ATTN_ENCODER_DECODER),
        heads_(params.query->shape[1]),
        head_size_(params.query->shape[2]),
        value_head_size_(params.out->shape[2]),
        latent_(paged_ && params.kv_cache->ndim == 3),
        group_(heads_ / (latent_  ? 1
                         : paged_ ? params.kv_cache->shape[2]
                                  : params.key->shape[1])) {}

  Reference run() {
    result_.out.assign(static_cast<std::size_t>(p_.query->shape[0] * heads_ * value_head_size_), 0.0);
    for (int64_t request = 0; request + 1 < p_.query_start_loc->shape[0]; ++request) {
      start_ = whole(*p_.query_start_loc, {request});
      const int64_t queries = whole(*p_.query_start_loc, {request + 1}) - start_;
      const int64_t length = paged_ ? whole(*p_.seq_lens, {request}) : queries;
      for (int64_t kv_head = 0; kv_head < heads_ / group_; ++kv_head) {
        keys_.assign(static_cast<std::size_t>(length), {});
        values_.assign(static_cast<std::size_t>(length), {});
        for (int64_t i = 0; i < queries; ++i) {
          for (int64_t g = 0; g < group_; ++g) {
            one_row(request, start_ + i, length - queries + i, length, kv_head * group_ + g);
          }
        }
      }
    }
    return result_;
  }

 private:
  static int64_t whole(const DLTensor &tensor, std::initializer_list<int64_t> index) {
    return tool::read_whole(tensor.dtype, element(tensor, index));
  }

  bool sees(int64_t position, int64_t key) const {
    if (p_.causal != 0 && key > position) return false;
    if (p_.window_left >= 0 && key < position - p_.window_left) return false;
    return p_.window_right < 0 || key <= position + p_.window_right;
  }

  // Key (half 0) or value (half 1) `j` of the head. Only what is asked for is read.
  const std::vector<double> &row(int half, int64_t request, int64_t j, int64_t kv_head) {
    std::vector<double> &found = (half == 0 ? keys_ : values_)[static_cast<std::size_t>(j)];
    if (!found.empty()) return found;
    for (int64_t d = 0; d < (half == 0 ? head_size_ : value_head_size_); ++d) {
      if (!paged_) {
        found.push_back(number(half == 0 ? *p_.key : *p_.value, {start_ + j, kv_head, d}));
        continue;
      }
      const int64_t block_size = p_.kv_cache->shape[latent_ ? 1 : 3];
      const int64_t block = whole(*p_.block_table, {request, j / block_size});
      if (latent_) {
        found.push_back(number(*p_.kv_cache, {block, j % block_size, d}));
      } else {
        found.push_back(number(*p_.kv_cache, {half, block, kv_head, j % block_size, d}));
      }
    }
    return found;
  }

  double score(int64_t request, int64_t position, int64_t j, int64_t head) {
    const std::vector<double> &key = row(0, request, j, head / group_);
    double product = 0;
    for (int64_t d = 0; d < head_size_; ++d)
      product += query_[static_cast<std::size_t>(d)] * key[static_cast<std::size_t>(d)];
    double s = p_.scale * product;
    result_.largest_score = std::max(result_.largest_score, std::fabs(s));
    if (paged_ && p_.softcap > 0) s = p_.softcap * std::tanh(s / p_.softcap);
    if (p_.alibi_slopes != nullptr) s += number(*p_.alibi_slopes, {head}) * static_cast<double>(j - position);
    return s;
  }

  void one_row(int64_t request, int64_t token, int64_t position, int64_t length, int64_t head) {
    query_.clear();
    for (int64_t d = 0; d < head_size_; ++d) query_.push_back(number(*p_.query, {token, head, d}));
    std::vector<int64_t> keys;
    std::vector<double> scores;
    for (int64_t j = 0; j < length; ++j) {
      if (!sees(position, j)) continue;
      keys.push_back(j);
      scores.push_back(score(request, position, j, head));
    }
    result_.most_keys = std::max(result_.most_keys, static_cast<int64_t>(keys.size()));
    if (keys.empty()) return;
    double largest = *std::max_element(scores.begin(), scores.end());
    if (p_.sinks != nullptr) largest = std::max(largest, number(*p_.sinks, {head}));
    double sum = p_.sinks != nullptr ? std::exp(number(*p_.sinks, {head}) - largest) : 0.0;
    for (const double s : scores) sum += std::exp(s - largest);
    double *out = result_.out.data() + (token * heads_ + head) * value_head_size_;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const double weight = std::exp(scores[i] - largest) / sum;
      const std::vector<double> &values = row(1, request, keys[i], head / group_);
      for (int64_t d = 0; d < value_head_size_; ++d) {
        const double value = values[static_cast<std::size_t>(d)];
        result_.largest_value = std::max(result_.largest_value, std::fabs(value));
        out[d] += weight * value;
      }
    }
  }

  const bkr_attention_forward_params &p_;
  const bool paged_;
  const int64_t heads_, head_size_, value_head_size_;
  const bool latent_;
  const int64_t group_;
  int64_t start_ = 0;
  std::vector<double> query_;                       // of the row
  std::vector<std::vector<double>> keys_, values_;  // of the request and head, as far as they were read
  Reference result_;
};

}  // namespace

Reference attention_reference(const bkr_attention_forward_params &params) { return Loops(params).run(); }

}  // namespace bkr::test
