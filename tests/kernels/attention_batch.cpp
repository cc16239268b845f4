// SPDX-License-Identifier: Apache-2.0
#include "attention_batch.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bkr::test {
namespace {

int64_t blocks_of(const Request &request, int64_t block_size) {
  return (request.seq_len + block_size - 1) / block_size;
}

int64_t total(const BatchKind &kind, int64_t Request::*what) {
  int64_t sum = 0;
  for (const Request &request : kind.requests) sum += request.*what;
  return sum;
}

int64_t most_blocks(const BatchKind &kind) {
  int64_t most = 0;
  for (const Request &request : kind.requests) most = std::max(most, blocks_of(request, kind.block_size));
  return most + 1;
}

int64_t all_blocks(const BatchKind &kind) {
  int64_t sum = 2;  // free ones
  for (const Request &request : kind.requests) sum += blocks_of(request, kind.block_size);
  return sum;
}

constexpr int64_t kSkipped = 2;  // tokens of write_kv that have no slot

StridedTensor rows(const BatchKind &kind, const std::string &dtype, int64_t tokens, int64_t heads, int64_t size) {
  if (!kind.scattered) return StridedTensor(dtype, {tokens, heads, size});
  return StridedTensor(dtype, {tokens, heads, size}, {1, 0, 2}, 3);  // a head's tokens together, rows with gaps
}

StridedTensor cache(const BatchKind &kind) {
  if (kind.latent) {
    const Shape rows = {all_blocks(kind), kind.block_size, kind.head_size};
    if (!kind.scattered) return StridedTensor(kind.cache_dtype, rows);
    return StridedTensor(kind.cache_dtype, rows, {1, 0, 2}, 5);
  }
  const Shape shape = {2, all_blocks(kind), kind.kv_heads, kind.block_size, kind.head_size};
  if (!kind.scattered) return StridedTensor(kind.cache_dtype, shape);
  return StridedTensor(kind.cache_dtype, shape, {1, 0, 3, 2, 4}, 1);
}

int64_t value_size(const BatchKind &kind) { return kind.value_head_size > 0 ? kind.value_head_size : kind.head_size; }

// Of what write_kv is given. A latent row holds both.
int64_t written_key_size(const BatchKind &kind) { return kind.latent ? value_size(kind) : kind.head_size; }
int64_t written_value_size(const BatchKind &kind) {
  return kind.latent ? kind.head_size - value_size(kind) : value_size(kind);
}

}  // namespace

void fill_random(StridedTensor &tensor, std::mt19937 &random, double amplitude) {
  // 7 bits and a sign: exact in float16 and bfloat16 as long as the amplitude is a power of two.
  tensor.fill([&] { return amplitude * (static_cast<double>(random() % 257) - 128.0) / 128.0; });
}

AttentionBatch::AttentionBatch(const BatchKind &kind)
    : query(rows(kind, kind.dtype, total(kind, &Request::queries), kind.heads, kind.head_size)),
      key(rows(kind, kind.dtype, total(kind, &Request::seq_len) + kSkipped, kind.kv_heads, written_key_size(kind))),
      value(rows(kind, kind.dtype, total(kind, &Request::seq_len) + kSkipped, kind.kv_heads, written_value_size(kind))),
      kv_cache(cache(kind)),
      out(rows(kind, kind.dtype, total(kind, &Request::queries), kind.heads, value_size(kind))),
      query_start_loc("int32", {static_cast<int64_t>(kind.requests.size()) + 1}),
      seq_lens("int32", {static_cast<int64_t>(kind.requests.size())}),
      block_table("int32", {static_cast<int64_t>(kind.requests.size()), most_blocks(kind)},
                  kind.scattered ? std::vector<int>{1, 0} : std::vector<int>{}),
      slot_mapping("int64", {total(kind, &Request::seq_len) + kSkipped}),
      alibi_slopes("float32", {kind.heads}),
      sinks(kind.cache_dtype, {kind.heads}),
      random_(kind.seed) {
  fill_random(query, random_, kind.amplitude);
  fill_random(key, random_, kind.amplitude);
  fill_random(value, random_, 1.0);
  fill_random(sinks, random_, 2.0);
  double slope = 1.0;
  alibi_slopes.fill([&] { return slope /= 2; });
  fill_tables(kind);
}

void AttentionBatch::fill_tables(const BatchKind &kind) {
  std::vector<int64_t> free(static_cast<std::size_t>(all_blocks(kind)));
  std::iota(free.begin(), free.end(), 0);
  std::shuffle(free.begin(), free.end(), random_);
  block_table.fill([&] { return random_() % 2 == 0 ? -7.0 : 1e6; });
  std::vector<double> slots(kSkipped, -1.0);
  query_start_loc.set({0}, 0);
  int64_t start = 0;
  for (std::size_t r = 0; r < kind.requests.size(); ++r) {
    const Request &request = kind.requests[r];
    const auto row = static_cast<int64_t>(r);
    for (int64_t i = 0; i < blocks_of(request, kind.block_size); ++i) {
      block_table.set({row, i}, static_cast<double>(free.back()));
      free.pop_back();
    }
    for (int64_t j = 0; j < request.seq_len; ++j) {
      const double block = block_table.at({row, j / kind.block_size});
      slots.push_back(block * static_cast<double>(kind.block_size) + static_cast<double>(j % kind.block_size));
    }
    seq_lens.set({row}, static_cast<double>(request.seq_len));
    start += request.queries;
    query_start_loc.set({row + 1}, static_cast<double>(start));
  }
  std::shuffle(slots.begin(), slots.end(), random_);
  slot_mapping.with(slots);
}

bkr_attention_write_kv_params AttentionBatch::write_kv() {
  bkr_attention_write_kv_params params{};
  params.struct_size = sizeof params;
  params.key = key.view();
  params.value = value.view();
  params.kv_cache = kv_cache.view();
  params.slot_mapping = slot_mapping.view();
  return params;
}

bkr_attention_forward_params AttentionBatch::forward() {
  bkr_attention_forward_params params = BKR_ATTENTION_FORWARD_INIT;
  params.scale = 1.0 / std::sqrt(static_cast<double>(query.size(2)));
  params.query = query.view();
  params.kv_cache = kv_cache.view();
  params.query_start_loc = query_start_loc.view();
  params.seq_lens = seq_lens.view();
  params.block_table = block_table.view();
  params.out = out.view();
  if (out.size(2) != query.size(2) || kv_cache.shape().size() == 3)
    params.value_head_size = static_cast<int32_t>(out.size(2));
  return params;
}

}  // namespace bkr::test
