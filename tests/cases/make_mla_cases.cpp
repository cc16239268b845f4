// SPDX-License-Identifier: Apache-2.0
// Makes the recorded cases of CPU_MLA (cpu_mla/), NO_ATTENTION (no_attention/) and MLA prefill (mla_prefill/) in
// tests/cases from the float64 references.
//
//     make_mla_cases FOLDER           writes them
//     make_mla_cases --check FOLDER   says whether the files there are what it would write
#include <cmath>
#include <limits>

#include "attention_batch.h"
#include "attention_reference.h"
#include "case_document.h"
#include "mla_prefill_batch.h"
#include "mla_prefill_reference.h"

namespace bkr::test {
namespace {

// kv_cache[slot] = key followed by value, element by element.
void write_plainly(AttentionBatch &batch) {
  const int64_t block_size = batch.kv_cache.size(1);
  const int64_t key_size = batch.key.size(2);
  for (int64_t t = 0; t < batch.key.size(0); ++t) {
    const auto slot = static_cast<int64_t>(batch.slot_mapping.at({t}));
    if (slot < 0) continue;
    for (int64_t d = 0; d < batch.kv_cache.size(2); ++d) {
      batch.kv_cache.set({slot / block_size, slot % block_size, d},
                         d < key_size ? batch.key.at({t, 0, d}) : batch.value.at({t, 0, d - key_size}));
    }
  }
}

Json document_of(const char *interface_id, Json params, Json tensors, Json expected, double relative) {
  return {{"interface", interface_id},
          {"params", std::move(params)},
          {"tensors", std::move(tensors)},
          {"expected", std::move(expected)},
          {"tolerance", {{"absolute", 1e-5}, {"relative", relative}}}};
}

// A prefill of 3, a continued prefill of 2 on 5, and a decode on 6: written, then attended to.
Json latent(const std::string &dtype, double relative) {
  BatchKind kind;
  kind.latent = true;
  kind.requests = {{3, 3}, {2, 5}, {1, 6}};
  kind.heads = 3;
  kind.head_size = 12;
  kind.value_head_size = 8;
  kind.block_size = 4;
  kind.dtype = dtype;
  kind.cache_dtype = dtype;
  AttentionBatch batch(kind);
  Json tensors;
  tensors["query"] = tensor_of(batch.query);
  tensors["key"] = tensor_of(batch.key);
  tensors["value"] = tensor_of(batch.value);
  tensors["kv_cache"] = tensor_of(batch.kv_cache);
  tensors["slot_mapping"] = tensor_of(batch.slot_mapping);
  tensors["query_start_loc"] = tensor_of(batch.query_start_loc);
  tensors["seq_lens"] = tensor_of(batch.seq_lens);
  tensors["block_table"] = tensor_of(batch.block_table);
  write_plainly(batch);
  bkr_attention_forward_params params = batch.forward();
  params.scale = 0.5;
  Json expected;
  expected["out"] = result_of(batch.out.shape(), attention_reference(params).out);
  expected["kv_cache"] = tensor_of(batch.kv_cache);
  return document_of(BKR_ATTENTION_1, {{"scale", 0.5}, {"value_head_size", 8}}, tensors, expected, relative);
}

Json no_attention() {
  BatchKind kind;
  AttentionBatch batch(kind);
  Json tensors;
  tensors["query"] = tensor_of(batch.query);
  tensors["key"] = tensor_of(batch.key);
  tensors["value"] = tensor_of(batch.value);
  tensors["slot_mapping"] = tensor_of(batch.slot_mapping);
  tensors["query_start_loc"] = tensor_of(batch.query_start_loc);
  Json expected;
  expected["out"] = tensor_of("float32", batch.out.shape(), [](int64_t) { return 0.0; });
  Json document = document_of(BKR_ATTENTION_1, {{"scale", 0.5}}, tensors, expected, 0);
  document["tolerance"]["absolute"] = 0;
  return document;
}

Json prefill(const PrefillKind &kind, bool causal, double relative) {
  PrefillBatch batch(kind);
  bkr_mla_prefill_params params = batch.prefill();
  params.scale = 0.5;
  params.causal = causal ? 1 : 0;
  const PrefillReference reference = mla_prefill_reference(params);
  Json tensors;
  tensors["query"] = tensor_of(batch.query);
  tensors["key"] = tensor_of(batch.key);
  tensors["value"] = tensor_of(batch.value);
  tensors["query_start_loc"] = tensor_of(batch.query_start_loc);
  tensors["key_start_loc"] = tensor_of(batch.key_start_loc);
  Json expected;
  expected["out"] = result_of(batch.out.shape(), reference.out);
  expected["lse"] = result_of(batch.lse.shape(), reference.lse);
  return document_of(BKR_MLA_PREFILL_1, {{"function", "prefill"}, {"scale", 0.5}, {"causal", causal}}, tensors,
                     expected, relative);
}

// Rows of both parts, of each part alone (whatever the other holds), and of neither.
Json merge() {
  const double infinity = std::numeric_limits<double>::infinity();
  const double lse_a[] = {0.5, 100, -infinity, -infinity};
  const double lse_b[] = {1.25, -infinity, -3, -infinity};
  const auto a = [](int64_t i) { return i / 3 == 2 ? std::nan("") : 0.25 * static_cast<double>(i); };
  const auto b = [](int64_t i) { return i / 3 == 1 ? std::nan("") : 1 - 0.125 * static_cast<double>(i); };
  std::vector<double> out;
  std::vector<double> lse;
  for (int64_t i = 0; i < 12; ++i) {
    const double weight_a = std::exp(lse_a[i / 3]);
    const double weight_b = std::exp(lse_b[i / 3]);
    const double sum = weight_a + weight_b;
    out.push_back(sum == 0 ? 0 : ((weight_a > 0 ? weight_a * a(i) : 0) + (weight_b > 0 ? weight_b * b(i) : 0)) / sum);
    if (i % 3 == 0) lse.push_back(std::log(sum));
  }
  const Shape rows = {4, 1, 3};
  const Shape numbers = {1, 4};
  Json tensors;
  tensors["out_a"] = tensor_of("float32", rows, a);
  tensors["lse_a"] = tensor_of("float32", numbers, [&](int64_t i) { return lse_a[i]; });
  tensors["out_b"] = tensor_of("float32", rows, b);
  tensors["lse_b"] = tensor_of("float32", numbers, [&](int64_t i) { return lse_b[i]; });
  Json expected;
  expected["out"] = result_of(rows, out);
  expected["lse"] = result_of(numbers, lse);
  return document_of(BKR_MLA_PREFILL_1, {{"function", "merge"}}, tensors, expected, 1e-5);
}

std::map<std::string, Json> all_cases() {
  PrefillKind fresh;
  fresh.requests = {{4, 4}, {2, 2}};
  PrefillKind context = fresh;
  context.requests = {{2, 5}, {1, 0}};  // longer and shorter than the queries
  context.value_head_size = 14;
  context.dtype = "bfloat16";
  context.seed = 2;
  std::map<std::string, Json> all;
  all["cpu_mla/write_kv_forward"] = latent("float32", 1e-5);
  all["cpu_mla/float16"] = latent("float16", 5e-4);
  all["no_attention/zeros"] = no_attention();
  all["mla_prefill/causal"] = prefill(fresh, true, 1e-5);
  all["mla_prefill/context_bfloat16"] = prefill(context, false, 4e-3);
  all["mla_prefill/merge"] = merge();
  return all;
}

}  // namespace
}  // namespace bkr::test

int main(int count, char **arguments) { return bkr::test::make_cases(count, arguments, bkr::test::all_cases); }
