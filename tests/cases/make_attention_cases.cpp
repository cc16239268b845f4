// SPDX-License-Identifier: Apache-2.0
// Makes the recorded cases in tests/cases/attention from the float64 reference.
//
//     make_attention_cases FOLDER           writes them
//     make_attention_cases --check FOLDER   says whether the files there are what it would write
//
// Inputs are multiples of 1/128, exact in every element type; results are rounded to 9 digits.
#include "attention_batch.h"
#include "attention_reference.h"
#include "case_document.h"

namespace bkr::test {
namespace {

// kv_cache[slot] = key, value, element by element.
void write_plainly(AttentionBatch &batch) {
  const int64_t block_size = batch.kv_cache.size(3);
  for (int64_t t = 0; t < batch.key.size(0); ++t) {
    const auto slot = static_cast<int64_t>(batch.slot_mapping.at({t}));
    if (slot < 0) continue;
    for (int64_t h = 0; h < batch.key.size(1); ++h) {
      for (int64_t d = 0; d < batch.key.size(2); ++d) {
        batch.kv_cache.set({0, slot / block_size, h, slot % block_size, d}, batch.key.at({t, h, d}));
        batch.kv_cache.set({1, slot / block_size, h, slot % block_size, d}, batch.value.at({t, h, d}));
      }
    }
  }
}

struct Recipe {
  BatchKind kind;
  Json params;  // beside scale
  bool alibi = false;
  bool sinks = false;
  bool through_write_kv = false;
  double absolute = 1e-5;
  double relative = 1e-5;
};

Json make(const Recipe &recipe) {
  AttentionBatch batch(recipe.kind);
  Json document = {{"interface", BKR_ATTENTION_1}};
  Json tensors;
  tensors["query"] = tensor_of(batch.query);
  if (recipe.through_write_kv) {
    tensors["key"] = tensor_of(batch.key);
    tensors["value"] = tensor_of(batch.value);
    tensors["slot_mapping"] = tensor_of(batch.slot_mapping);
    tensors["kv_cache"] = tensor_of(batch.kv_cache);
  }
  write_plainly(batch);
  if (!recipe.through_write_kv) tensors["kv_cache"] = tensor_of(batch.kv_cache);
  tensors["query_start_loc"] = tensor_of(batch.query_start_loc);
  tensors["seq_lens"] = tensor_of(batch.seq_lens);
  tensors["block_table"] = tensor_of(batch.block_table);
  if (recipe.alibi) tensors["alibi_slopes"] = tensor_of(batch.alibi_slopes);
  if (recipe.sinks) tensors["sinks"] = tensor_of(batch.sinks);

  bkr_attention_forward_params params = batch.forward();
  params.scale = 0.5;
  params.causal = recipe.params.value("causal", true) ? 1 : 0;
  params.window_left = recipe.params.value("window_left", -1);
  params.window_right = recipe.params.value("window_right", -1);
  params.softcap = recipe.params.value("softcap", 0.0);
  if (recipe.alibi) params.alibi_slopes = batch.alibi_slopes.view();
  if (recipe.sinks) params.sinks = batch.sinks.view();
  const Reference reference = attention_reference(params);

  document["params"] = {{"scale", params.scale}};
  document["params"].update(recipe.params);
  document["tensors"] = tensors;
  document["expected"]["out"] = result_of(batch.out.shape(), reference.out);
  if (recipe.through_write_kv) document["expected"]["kv_cache"] = tensor_of(batch.kv_cache);
  document["tolerance"] = {{"absolute", recipe.absolute}, {"relative", recipe.relative}};
  return document;
}

std::map<std::string, Recipe> recipes() {
  BatchKind kind;  // a prefill of 3, a continued prefill of 2 on 5, and a decode on 6
  kind.requests = {{3, 3}, {2, 5}, {1, 6}};
  kind.heads = 4;
  kind.kv_heads = 2;
  kind.head_size = 8;
  kind.block_size = 4;
  kind.amplitude = 2;
  std::map<std::string, Recipe> all;
  const auto with = [&](uint32_t seed, const std::string &dtype = "float32") {
    BatchKind other = kind;
    other.seed = seed;
    other.dtype = dtype;
    other.cache_dtype = dtype;
    return other;
  };
  all["causal_ragged_gqa"] = {with(1), {{"causal", true}}};
  all["window_sinks"] = {with(2), {{"causal", true}, {"window_left", 2}, {"window_right", 0}}, false, true};
  all["softcap_alibi"] = {with(3), {{"causal", false}, {"softcap", 1.5}}, true};
  all["bfloat16"] = {with(4, "bfloat16"), {{"causal", true}}, false, false, false, 1e-5, 4e-3};
  all["write_kv_forward"] = {with(5), {{"causal", true}}, false, false, true};
  return all;
}

std::map<std::string, Json> all_cases() {
  std::map<std::string, Json> cases;
  for (const auto &[name, recipe] : recipes()) cases[name] = make(recipe);
  return cases;
}

}  // namespace
}  // namespace bkr::test

int main(int count, char **arguments) { return bkr::test::make_cases(count, arguments, bkr::test::all_cases); }
