// SPDX-License-Identifier: Apache-2.0
// What a caller of bkr.mla_prefill/1 can get wrong: the text names it, and nothing has been written.
#include "faults.h"
#include "mla_prefill_batch.h"

namespace bkr::test {
namespace {

struct Call {
  Call() : batch(kind()), other(kind()) {
    prefill = batch.prefill();
    tensors.replace({&prefill.query, &prefill.key, &prefill.value, &prefill.query_start_loc, &prefill.key_start_loc,
                     &prefill.out, &prefill.lse});
    merge.struct_size = sizeof merge;
    merge.out_a = batch.out.view();
    merge.lse_a = batch.lse.view();
    merge.out_b = other.out.view();
    merge.lse_b = other.lse.view();
    merge.out = merged_out.view();
    merge.lse = merged_lse.view();
    tensors.replace({&merge.out_a, &merge.lse_a, &merge.out_b, &merge.lse_b, &merge.out, &merge.lse});
  }

  static PrefillKind kind() {
    PrefillKind kind;
    kind.requests = {{2, 2}, {3, 3}};
    return kind;  // [5, 2, 12] and [5, 2, 8]
  }

  static DLTensor &edit(const DLTensor *tensor) { return EditableTensors::edit(tensor); }

  PrefillBatch batch, other;
  StridedTensor merged_out{"float32", {5, 2, 8}};
  StridedTensor merged_lse{"float32", {2, 5}};
  EditableTensors tensors;
  bkr_mla_prefill_params prefill{};
  bkr_mla_merge_params merge{};
};

using Faults = std::vector<Fault<Call>>;

class PrefillArguments : public MlaPrefill {
 protected:
  void expect_prefill_refuses(const Faults &faults) {
    for (const Fault<Call> &fault : faults) {
      Call call;
      fault.make(call);
      const std::vector<std::byte> out = call.batch.out.memory();
      const std::vector<std::byte> lse = call.batch.lse.memory();
      expect_text(prefill(call.prefill), fault);
      EXPECT_EQ(call.batch.out.memory(), out) << "written in spite of " << fault.named.front();
      EXPECT_EQ(call.batch.lse.memory(), lse) << "written in spite of " << fault.named.front();
    }
  }

  void expect_merge_refuses(const Faults &faults) {
    for (const Fault<Call> &fault : faults) {
      Call call;
      fault.make(call);
      const std::vector<std::byte> out = call.merged_out.memory();
      const std::vector<std::byte> lse = call.merged_lse.memory();
      expect_text(merge(call.merge), fault);
      EXPECT_EQ(call.merged_out.memory(), out) << "written in spite of " << fault.named.front();
      EXPECT_EQ(call.merged_lse.memory(), lse) << "written in spite of " << fault.named.front();
    }
  }

  // lse may be NULL.
  static Faults but_for_null(Faults faults) {
    faults.erase(faults.begin());
    return faults;
  }
};

TEST_P(PrefillArguments, InOrderTheyAreAccepted) {
  Call call;
  const Outcome outcome = prefill(call.prefill);
  EXPECT_EQ(outcome.status, BKR_OK) << outcome.text;
  const Outcome merged = merge(call.merge);
  EXPECT_EQ(merged.status, BKR_OK) << merged.text;
}

TEST_P(PrefillArguments, EveryTensorOfPrefillIsChecked) {
  expect_prefill_refuses(faults_of_any<Call>(
      "query", [](Call & c) -> auto & { return c.prefill.query; }));
  expect_prefill_refuses(faults_of_any<Call>(
      "key", [](Call & c) -> auto & { return c.prefill.key; }));
  expect_prefill_refuses(faults_of_any<Call>(
      "value", [](Call & c) -> auto & { return c.prefill.value; }));
  expect_prefill_refuses(faults_of_any<Call>(
      "query_start_loc", [](Call & c) -> auto & { return c.prefill.query_start_loc; }));
  expect_prefill_refuses(faults_of_any<Call>(
      "key_start_loc", [](Call & c) -> auto & { return c.prefill.key_start_loc; }));
  expect_prefill_refuses(faults_of_any<Call>(
      "out", [](Call & c) -> auto & { return c.prefill.out; }));
  expect_prefill_refuses(but_for_null(faults_of_any<Call>(
      "lse", [](Call & c) -> auto & { return c.prefill.lse; })));
}

TEST_P(PrefillArguments, EveryTensorOfMergeIsChecked) {
  expect_merge_refuses(faults_of_any<Call>(
      "out_a", [](Call & c) -> auto & { return c.merge.out_a; }));
  expect_merge_refuses(faults_of_any<Call>(
      "lse_a", [](Call & c) -> auto & { return c.merge.lse_a; }));
  expect_merge_refuses(faults_of_any<Call>(
      "out_b", [](Call & c) -> auto & { return c.merge.out_b; }));
  expect_merge_refuses(faults_of_any<Call>(
      "lse_b", [](Call & c) -> auto & { return c.merge.lse_b; }));
  expect_merge_refuses(faults_of_any<Call>(
      "out", [](Call & c) -> auto & { return c.merge.out; }));
  expect_merge_refuses(but_for_null(faults_of_any<Call>(
      "lse", [](Call & c) -> auto & { return c.merge.lse; })));
}

TEST_P(PrefillArguments, ShapesOfPrefillMustFit) {
  const auto set = [](const DLTensor *bkr_mla_prefill_params::*field, int d, int64_t size) {
    return [=](Call &call) { Call::edit(call.prefill.*field).shape[d] = size; };
  };
  using P = bkr_mla_prefill_params;
  expect_prefill_refuses({
      {{"query's dimension 1", "0"}, set(&P::query, 1, 0)},
      {{"query's dimension 2", "0"}, set(&P::query, 2, 0)},
      {{"key's dimension 1", "query's dimension 1"}, set(&P::key, 1, 1)},
      {{"key's dimension 2", "query's dimension 2"}, set(&P::key, 2, 11)},
      {{"value's dimension 0", "key's dimension 0"}, set(&P::value, 0, 4)},
      {{"value's dimension 1", "query's dimension 1"}, set(&P::value, 1, 1)},
      {{"value's dimension 2", "0"}, set(&P::value, 2, 0)},
      {{"out's dimension 0", "query's dimension 0"}, set(&P::out, 0, 4)},
      {{"out's dimension 2", "7", "8"}, set(&P::out, 2, 7)},
      {{"lse's dimension 0", "query's dimension 1"}, set(&P::lse, 0, 1)},
      {{"lse's dimension 1", "query's dimension 0"}, set(&P::lse, 1, 4)},
      {{"key_start_loc's dimension 0", "query_start_loc's dimension 0"},
       [](Call &c) {
         Call::edit(c.prefill.key_start_loc).shape[0] = 2;
         c.batch.key_start_loc.set({1}, 5);
       }},
      {{"out", "stride of dimension 0", "overlap"}, [](Call &c) { Call::edit(c.prefill.out).strides[0] = 0; }},
      {{"lse", "stride of dimension 0", "overlap"}, [](Call &c) { Call::edit(c.prefill.lse).strides[0] = 1; }},
      {{"lse", "stride of dimension 1"}, [](Call &c) { Call::edit(c.prefill.lse).strides[1] = 2; }},
      {{"value's elements are float16", "query's are float32"},
       [](Call &c) {
         Call::edit(c.prefill.value).dtype = {kDLFloat, 16, 1};
       }},
      {{"lse's elements are float16", "float32"},
       [](Call &c) {
         Call::edit(c.prefill.lse).dtype = {kDLFloat, 16, 1};
       }},
  });
}

TEST_P(PrefillArguments, OptionsAndIndicesOfPrefillMustMakeSense) {
  expect_prefill_refuses({
      {{"flags is 1"}, [](Call &c) { c.prefill.flags = 1; }},
      {{"reserved0 is 1"}, [](Call &c) { c.prefill.reserved0 = 1; }},
      {{"causal is 2"}, [](Call &c) { c.prefill.causal = 2; }},
      {{"scale"}, [](Call &c) { c.prefill.scale = std::numeric_limits<double>::quiet_NaN(); }},
      {{"struct_size"}, [](Call &c) { c.prefill.struct_size -= 8; }},
      {{"key_start_loc[0] is 1"}, [](Call &c) { c.batch.key_start_loc.set({0}, 1); }},
      {{"key_start_loc[2] is 4", "key's dimension 0"}, [](Call &c) { c.batch.key_start_loc.set({2}, 4); }},
      {{"query_start_loc[2] is 5", "query_start_loc[1], 6"}, [](Call &c) { c.batch.query_start_loc.set({1}, 6); }},
      {{"key_start_loc", "request 0", "3 keys", "2 query tokens"}, [](Call &c) { c.batch.key_start_loc.set({1}, 3); }},
  });
}

TEST_P(PrefillArguments, ShapesOfMergeMustFit) {
  const auto set = [](const DLTensor *bkr_mla_merge_params::*field, int d, int64_t size) {
    return [=](Call &call) { Call::edit(call.merge.*field).shape[d] = size; };
  };
  using M = bkr_mla_merge_params;
  expect_merge_refuses({
      {{"lse_a's dimension 0", "out_a's dimension 1"}, set(&M::lse_a, 0, 1)},
      {{"lse_b's dimension 1", "out_a's dimension 0"}, set(&M::lse_b, 1, 4)},
      {{"out_b's dimension 0", "out_a's dimension 0"}, set(&M::out_b, 0, 4)},
      {{"out_b's dimension 1", "out_a's dimension 1"}, set(&M::out_b, 1, 1)},
      {{"out's dimension 2", "out_a's dimension 2"}, set(&M::out, 2, 7)},
      {{"lse's dimension 1", "out_a's dimension 0"}, set(&M::lse, 1, 4)},
      {{"out", "stride of dimension 1", "overlap"}, [](Call &c) { Call::edit(c.merge.out).strides[1] = 7; }},
      {{"out_b's elements are bfloat16", "out_a's are float32"},
       [](Call &c) {
         Call::edit(c.merge.out_b).dtype = {kDLBfloat, 16, 1};
       }},
      {{"flags is 4"}, [](Call &c) { c.merge.flags = 4; }},
      {{"struct_size"}, [](Call &c) { c.merge.struct_size -= 8; }},
  });
}

TEST_P(PrefillArguments, StreamsAreRefusedOnACpu) {
  Call call;
  int stream = 0;
  EXPECT_EQ(mla().prefill(backend(), &call.prefill, &stream, nullptr), BKR_INVALID_ARGUMENT);
  EXPECT_EQ(mla().merge(backend(), &call.merge, &stream, nullptr), BKR_INVALID_ARGUMENT);
}

BKR_WITH_EVERY_CPU_ATTN(PrefillArguments);

}  // namespace
}  // namespace bkr::test
