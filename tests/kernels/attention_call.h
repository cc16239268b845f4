// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_KERNELS_ATTENTION_CALL_H
#define BKR_TESTS_KERNELS_ATTENTION_CALL_H

// What the tests of the arguments of bkr.attention/1 have in common.

#include "attention_batch.h"
#include "faults.h"

namespace bkr::test {

// A batch that is in order, with copies of its tensors for a fault to be put in.
struct AttentionCall {
  explicit AttentionCall(const BatchKind &kind) : batch(kind) {
    forward = batch.forward();
    write = batch.write_kv();
    tensors.replace({&forward.query, &forward.kv_cache, &forward.query_start_loc, &forward.seq_lens,
                     &forward.block_table, &forward.out, &write.key, &write.value, &write.kv_cache,
                     &write.slot_mapping});
  }

  static DLTensor &edit(const DLTensor *tensor) { return EditableTensors::edit(tensor); }

  AttentionBatch batch;
  EditableTensors tensors;
  bkr_attention_forward_params forward{};
  bkr_attention_write_kv_params write{};
};

// A backend under test that must refuse each fault, and write nothing. Call: an AttentionCall that is made of nothing.
template <class Backend, class Call>
class RefusesFaults : public Backend {
 protected:
  using Faults = std::vector<Fault<Call>>;

  void expect_forward_refuses(const Faults &faults) {
    for (const Fault<Call> &fault : faults) {
      Call call;
      ASSERT_EQ(this->write_kv(call.write).status, BKR_OK);
      fault.make(call);
      const std::vector<std::byte> out = call.batch.out.memory();
      expect_text(this->forward(call.forward), fault);
      EXPECT_EQ(call.batch.out.memory(), out) << "written in spite of " << fault.named.front();
    }
  }

  void expect_write_refuses(const Faults &faults) {
    for (const Fault<Call> &fault : faults) {
      Call call;
      fault.make(call);
      const std::vector<std::byte> cache = call.batch.kv_cache.memory();
      expect_text(this->write_kv(call.write), fault);
      EXPECT_EQ(call.batch.kv_cache.memory(), cache) << "written in spite of " << fault.named.front();
    }
  }
};

}  // namespace bkr::test

#endif  // BKR_TESTS_KERNELS_ATTENTION_CALL_H
