// SPDX-License-Identifier: Apache-2.0
#include <backend_registry/interfaces/attention.hpp>

class MyAttention : public bkr::attention_backend {
 public:
  const char *name() const noexcept override { return "MY_ATTN"; }
  void write_kv(const bkr_attention_write_kv_params &, void *) override {
    throw bkr::error(BKR_UNSUPPORTED, "MY_ATTN: put your kernel here");
  }
  void forward(const bkr_attention_forward_params &, void *) override {
    throw bkr::error(BKR_UNSUPPORTED, "MY_ATTN: and here");
  }
};

BKR_CPP_PLUGIN(MyAttention, "org.example.my_attention", "0.1.0", "attention", "MY_ATTN", "org.example.MyAttention",
               BKR_ATTENTION_1);
