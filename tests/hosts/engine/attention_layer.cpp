// SPDX-License-Identifier: Apache-2.0
#include <backend_registry/interfaces/attention.h>

#include <cmath>

#include "dense.h"
#include "layer.h"

namespace engine {
namespace {

constexpr int64_t kHeads = 4;
constexpr int64_t kKvHeads = 2;
constexpr int64_t kSize = 32;
constexpr int64_t kProjected = (kHeads + 2 * kKvHeads) * kSize;

// Attention with rotated queries and keys, on a paged cache.
class AttentionLayer : public Layer {
 public:
  AttentionLayer(const bkr::registry &registry, std::mt19937 random)
      : backend_(choose(registry, "attention",
                        {{"head_size", "32"}, {"dtype", "float32"}, {"block_size", "16"}, {"attn_type", "decoder"}})),
        kernels_(backend_.get_interface<bkr_attention_1>(BKR_ATTENTION_1)),
        in_(random_weights(random, kHidden, kProjected)),
        out_(random_weights(random, kHeads * kSize, kHidden)) {
    int64_t shape[BKR_KV_CACHE_MAX_DIMS];
    int32_t ndim = 0;
    const bkr_attention_kv_cache_params sizes = {sizeof(sizes), 0, kBlocks, kBlockSize, kKvHeads,
                                                 kSize,         0, shape,   &ndim};
    backend_.call(kernels_->kv_cache_shape, sizes);
    // What nobody wrote must never be read.
    cache_ = Floats({shape, shape + ndim}, NAN);
  }

  Floats forward(const Floats &x, Batch &batch) override {
    Floats projected = multiply(x, in_);
    for (int64_t t = 0; t < x.rows(); ++t) {
      for (int64_t head = 0; head < kHeads + kKvHeads; ++head) {
        rotate(projected.row(t) + head * kSize, kSize, batch.position[static_cast<std::size_t>(t)]);
      }
    }
    // Three views into one projection.
    const auto query = projected.part(0, x.rows(), {kHeads, kSize});
    const auto key = projected.part(0, x.rows(), {kKvHeads, kSize}, kHeads * kSize);
    const auto value = projected.part(0, x.rows(), {kKvHeads, kSize}, (kHeads + kKvHeads) * kSize);
    const auto cache = cache_.view();
    const auto slots = batch.slot_mapping.view();
    bkr_attention_write_kv_params write{};
    write.struct_size = sizeof(write);
    write.key = key;
    write.value = value;
    write.kv_cache = cache;
    write.slot_mapping = slots;
    backend_.call(kernels_->write_kv, write);

    Floats attended({x.rows(), kHeads, kSize});
    const auto starts = batch.query_start_loc.view();
    const auto lengths = batch.seq_lens.view();
    const auto blocks = batch.block_table.view();
    const auto out = attended.view();
    bkr_attention_forward_params forward = BKR_ATTENTION_FORWARD_INIT;
    forward.scale = 1.0 / std::sqrt(static_cast<double>(kSize));
    forward.query = query;
    forward.kv_cache = cache;
    forward.query_start_loc = starts;
    forward.seq_lens = lengths;
    forward.block_table = blocks;
    forward.out = out;
    backend_.call(kernels_->forward, forward);
    return multiply(attended, out_);
  }

 private:
  bkr::backend backend_;
  const bkr_attention_1 *kernels_;
  Floats in_, out_;
  Floats cache_;
};

}  // namespace

std::unique_ptr<Layer> make_attention_layer(const bkr::registry &registry, std::mt19937 random) {
  return std::make_unique<AttentionLayer>(registry, random);
}

}  // namespace engine
