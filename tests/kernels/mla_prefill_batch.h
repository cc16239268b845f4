// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_KERNELS_MLA_PREFILL_BATCH_H
#define BKR_TESTS_KERNELS_MLA_PREFILL_BATCH_H

// A batch for bkr.mla_prefill/1, with all its tensors.

#include <backend_registry/interfaces/mla_prefill.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "attention_batch.h"
#include "strided_tensor.h"

namespace bkr::test {

struct PrefillKind {
  struct Lengths {
    int64_t queries, keys;
  };
  std::vector<Lengths> requests = {{3, 3}};
  int64_t heads = 2;
  int64_t head_size = 12;
  int64_t value_head_size = 8;
  std::string dtype = "float32";
  bool scattered = false;  // a head's tokens together, rows with gaps
  uint32_t seed = 1;
};

class PrefillBatch {
 public:
  explicit PrefillBatch(const PrefillKind &kind)
      : query(rows(kind, total(kind, &PrefillKind::Lengths::queries), kind.head_size)),
        key(rows(kind, total(kind, &PrefillKind::Lengths::keys), kind.head_size)),
        value(rows(kind, total(kind, &PrefillKind::Lengths::keys), kind.value_head_size)),
        out(rows(kind, total(kind, &PrefillKind::Lengths::queries), kind.value_head_size)),
        lse("float32", {kind.heads, total(kind, &PrefillKind::Lengths::queries)}, {}, kind.scattered ? 2 : 0),
        query_start_loc(starts(kind, &PrefillKind::Lengths::queries)),
        key_start_loc(starts(kind, &PrefillKind::Lengths::keys)) {
    std::mt19937 random(kind.seed);
    for (StridedTensor *tensor : {&query, &key, &value}) fill_random(*tensor, random, 1.0);
  }

  // Causal; scale is 1/sqrt(D).
  bkr_mla_prefill_params prefill() {
    bkr_mla_prefill_params params{};
    params.struct_size = sizeof params;
    params.causal = 1;
    params.scale = 1.0 / std::sqrt(static_cast<double>(query.size(2)));
    params.query = query.view();
    params.key = key.view();
    params.value = value.view();
    params.query_start_loc = query_start_loc.view();
    params.key_start_loc = key_start_loc.view();
    params.out = out.view();
    params.lse = lse.view();
    return params;
  }

  StridedTensor query, key, value, out, lse, query_start_loc, key_start_loc;

 private:
  static int64_t total(const PrefillKind &kind, int64_t PrefillKind::Lengths::*what) {
    int64_t sum = 0;
    for (const PrefillKind::Lengths &request : kind.requests) sum += request.*what;
    return sum;
  }

  static StridedTensor rows(const PrefillKind &kind, int64_t tokens, int64_t size) {
    const Shape shape = {tokens, kind.heads, size};
    return kind.scattered ? StridedTensor(kind.dtype, shape, {1, 0, 2}, 3) : StridedTensor(kind.dtype, shape);
  }

  static StridedTensor starts(const PrefillKind &kind, int64_t PrefillKind::Lengths::*what) {
    std::vector<double> values = {0};
    for (const PrefillKind::Lengths &request : kind.requests) {
      values.push_back(values.back() + static_cast<double>(request.*what));
    }
    return StridedTensor("int32", {static_cast<int64_t>(values.size())}).with(values);
  }
};

}  // namespace bkr::test

#endif  // BKR_TESTS_KERNELS_MLA_PREFILL_BATCH_H
