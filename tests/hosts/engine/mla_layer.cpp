// SPDX-License-Identifier: Apache-2.0
#include <backend_registry/interfaces/attention.h>
#include <backend_registry/interfaces/mla_prefill.h>

#include <algorithm>
#include <cmath>

#include "dense.h"
#include "layer.h"

namespace engine {
namespace {

constexpr int64_t kHeads = 2;
constexpr int64_t kNope = 128;  // of a query or key, not rotated
constexpr int64_t kRope = 64;   // and rotated
constexpr int64_t kQuery = kNope + kRope;
constexpr int64_t kValue = 128;
constexpr int64_t kLatent = 512;
constexpr int64_t kRow = kLatent + kRope;  // of the cache
const double kScale = 1.0 / std::sqrt(static_cast<double>(kQuery));

// The rows of some requests of a batch, one after the other.
struct Rows {
  std::vector<int64_t> of_batch;  // which row of the batch each one is
  std::vector<int64_t> requests;  // of the batch
  Tensor<int32_t> query_start_loc{{1}};

  void add(const Batch &batch, int64_t request) {
    for (int64_t row = batch.begin(request); row < batch.begin(request + 1); ++row) of_batch.push_back(row);
    requests.push_back(request);
    append(query_start_loc, static_cast<int64_t>(of_batch.size()));
  }
  int64_t count() const { return static_cast<int64_t>(of_batch.size()); }

  static void append(Tensor<int32_t> &starts, int64_t start) {
    starts.data.push_back(static_cast<int32_t>(start));
    ++starts.shape[0];
  }
};

// Multi-head latent attention: new prompts on keys and values that are expanded from the latent rows, decoding on the
// latent rows themselves, with the expansion taken into the query and the output.
class MlaLayer : public Layer {
 public:
  MlaLayer(const bkr::registry &registry, std::mt19937 random)
      : decode_(choose(registry, "attention",
                       {{"head_size", "576"}, {"dtype", "float32"}, {"block_size", "16"}, {"use_mla", "1"}})),
        prefill_(choose(registry, "mla_prefill", {{"dtype", "float32"}, {"is_r1_compatible", "1"}})),
        attention_(decode_.get_interface<bkr_attention_1>(BKR_ATTENTION_1)),
        kernels_(prefill_.get_interface<bkr_mla_prefill_1>(BKR_MLA_PREFILL_1)),
        query_(random_weights(random, kHidden, kHeads * kQuery)),
        latent_(random_weights(random, kHidden, kLatent)),
        rope_(random_weights(random, kHidden, kRope)),
        key_(random_weights(random, kLatent, kHeads * kNope)),
        value_(random_weights(random, kLatent, kHeads * kValue)),
        out_(random_weights(random, kHeads * kValue, kHidden)) {
    int64_t shape[BKR_KV_CACHE_MAX_DIMS];
    int32_t ndim = 0;
    const bkr_attention_kv_cache_params sizes = {sizeof(sizes), 0, kBlocks, kBlockSize, 1, kRow, kLatent, shape, &ndim};
    decode_.call(attention_->kv_cache_shape, sizes);
    cache_ = Floats({shape, shape + ndim}, NAN);
  }

  Floats forward(const Floats &x, Batch &batch) override {
    Floats query = multiply(x, query_);
    Floats latent = multiply(x, latent_);
    Floats rope = multiply(x, rope_);
    rms_norm(latent, kLatent);
    for (int64_t t = 0; t < x.rows(); ++t) {
      const int64_t position = batch.position[static_cast<std::size_t>(t)];
      rotate(rope.row(t), kRope, position);
      for (int64_t h = 0; h < kHeads; ++h) rotate(query.row(t) + h * kQuery + kNope, kRope, position);
    }
    write_cache(latent, rope, batch);

    Rows decoding;
    Rows prompts;
    for (int64_t r = 0; r < batch.requests(); ++r) {
      (batch.context(r) > 0 && batch.count(r) == 1 ? decoding : prompts).add(batch, r);
    }
    Floats attended({x.rows(), kHeads * kValue});
    if (decoding.count() > 0) decode(query, batch, decoding, attended);
    if (prompts.count() > 0) prefill(query, latent, rope, batch, prompts, attended);
    return multiply(attended, out_);
  }

 private:
  void write_cache(Floats &latent, Floats &rope, Batch &batch) {
    const auto key = latent.part(0, latent.rows(), {1, kLatent});
    const auto value = rope.part(0, rope.rows(), {1, kRope});
    const auto cache = cache_.view();
    const auto slots = batch.slot_mapping.view();
    bkr_attention_write_kv_params write{};
    write.struct_size = sizeof(write);
    write.key = key;
    write.value = value;
    write.kv_cache = cache;
    write.slot_mapping = slots;
    decode_.call(attention_->write_kv, write);
  }

  void decode(const Floats &query, Batch &batch, Rows &rows, Floats &attended) {
    const int64_t count = rows.count();
    Floats absorbed({count, kHeads, kRow});
    Tensor<int32_t> seq_lens({count});
    Tensor<int32_t> block_table({count, batch.block_table.row_size});
    for (int64_t i = 0; i < count; ++i) {
      const float *from = query.row(rows.of_batch[static_cast<std::size_t>(i)]);
      for (int64_t h = 0; h < kHeads; ++h) {
        float *to = absorbed.row(i) + h * kRow;
        for (int64_t l = 0; l < kLatent; ++l) {
          const float *key = key_.row(l) + h * kNope;
          for (int64_t n = 0; n < kNope; ++n) to[l] += from[h * kQuery + n] * key[n];
        }
        std::copy_n(from + h * kQuery + kNope, kRope, to + kLatent);
      }
      const int64_t request = rows.requests[static_cast<std::size_t>(i)];
      *seq_lens.row(i) = *batch.seq_lens.row(request);
      std::copy_n(batch.block_table.row(request), block_table.row_size, block_table.row(i));
    }
    Floats latent({count, kHeads, kLatent});
    const auto query_view = absorbed.view();
    const auto cache = cache_.view();
    const auto starts = rows.query_start_loc.view();
    const auto lengths = seq_lens.view();
    const auto blocks = block_table.view();
    const auto out = latent.view();
    bkr_attention_forward_params forward = BKR_ATTENTION_FORWARD_INIT;
    forward.scale = kScale;
    forward.query = query_view;
    forward.kv_cache = cache;
    forward.query_start_loc = starts;
    forward.seq_lens = lengths;
    forward.block_table = blocks;
    forward.value_head_size = kLatent;
    forward.out = out;
    decode_.call(attention_->forward, forward);

    for (int64_t i = 0; i < count; ++i) {
      float *to = attended.row(rows.of_batch[static_cast<std::size_t>(i)]);
      for (int64_t h = 0; h < kHeads; ++h) {
        for (int64_t l = 0; l < kLatent; ++l) {
          const float factor = latent.row(i)[h * kLatent + l];
          const float *value = value_.row(l) + h * kValue;
          for (int64_t v = 0; v < kValue; ++v) to[h * kValue + v] += factor * value[v];
        }
      }
    }
  }

  // What prefill takes as keys and values.
  struct Expanded {
    Floats key, value;
    Tensor<int32_t> start_loc{{1}};
  };

  Expanded expand(const Floats &latent, const Floats &rope) const {
    Expanded expanded;
    const Floats nope = multiply(latent, key_);
    expanded.value = multiply(latent, value_);
    expanded.key = Floats({latent.rows(), kHeads, kQuery});
    for (int64_t t = 0; t < latent.rows(); ++t) {
      for (int64_t h = 0; h < kHeads; ++h) {
        float *to = expanded.key.row(t) + h * kQuery;
        std::copy_n(nope.row(t) + h * kNope, kNope, to);
        std::copy_n(rope.row(t), kRope, to + kNope);
      }
    }
    return expanded;
  }

  static Floats gather(const Floats &from, const std::vector<int64_t> &rows) {
    Floats gathered({static_cast<int64_t>(rows.size()), from.row_size});
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::copy_n(from.row(rows[i]), from.row_size, gathered.row(static_cast<int64_t>(i)));
    }
    return gathered;
  }

  // The latent rows that the prompts' requests have in the cache from earlier batches.
  Expanded expand_context(const Batch &batch, const Rows &rows) const {
    Tensor<int32_t> starts({1});
    Floats latent({0, kLatent});
    Floats rope({0, kRope});
    for (const int64_t request : rows.requests) {
      for (int64_t at = 0; at < batch.context(request); ++at) {
        const int64_t block = batch.sequence(request).blocks[static_cast<std::size_t>(at / kBlockSize)];
        const float *row = cache_.row(block) + at % kBlockSize * kRow;
        latent.data.insert(latent.data.end(), row, row + kLatent);
        rope.data.insert(rope.data.end(), row + kLatent, row + kRow);
        ++latent.shape[0];
        ++rope.shape[0];
      }
      Rows::append(starts, latent.rows());
    }
    Expanded expanded = expand(latent, rope);
    expanded.start_loc = starts;
    return expanded;
  }

  struct Part {
    Floats out, lse;
  };

  Part attend(Floats &query, Rows &rows, Expanded &keys, bool causal) const {
    Part part{Floats({rows.count(), kHeads, kValue}), Floats({kHeads, rows.count()})};
    const auto query_view = query.part(0, query.rows(), {kHeads, kQuery});
    const auto key = keys.key.part(0, keys.key.rows(), {kHeads, kQuery});
    const auto value = keys.value.part(0, keys.value.rows(), {kHeads, kValue});
    const auto starts = rows.query_start_loc.view();
    const auto key_starts = keys.start_loc.view();
    const auto out = part.out.view();
    const auto lse = part.lse.view();
    bkr_mla_prefill_params params{};
    params.struct_size = sizeof(params);
    params.causal = causal ? 1 : 0;
    params.scale = kScale;
    params.query = query_view;
    params.key = key;
    params.value = value;
    params.query_start_loc = starts;
    params.key_start_loc = key_starts;
    params.out = out;
    params.lse = lse;
    prefill_.call(kernels_->prefill, params);
    return part;
  }

  void prefill(const Floats &query, const Floats &latent, const Floats &rope, const Batch &batch, Rows &rows,
               Floats &attended) const {
    Floats queries = gather(query, rows.of_batch);
    Expanded keys = expand(gather(latent, rows.of_batch), gather(rope, rows.of_batch));
    keys.start_loc = rows.query_start_loc;
    Part part = attend(queries, rows, keys, true);

    Expanded context = expand_context(batch, rows);
    if (context.key.rows() > 0) {
      Part before = attend(queries, rows, context, false);
      const auto out_a = before.out.view();
      const auto lse_a = before.lse.view();
      const auto out_b = part.out.view();
      const auto lse_b = part.lse.view();
      bkr_mla_merge_params merge{};
      merge.struct_size = sizeof(merge);
      merge.out_a = out_a;
      merge.lse_a = lse_a;
      merge.out_b = out_b;
      merge.lse_b = lse_b;
      merge.out = out_b;
      prefill_.call(kernels_->merge, merge);
    }
    for (int64_t i = 0; i < rows.count(); ++i) {
      std::copy_n(part.out.row(i), kHeads * kValue, attended.row(rows.of_batch[static_cast<std::size_t>(i)]));
    }
  }

  bkr::backend decode_, prefill_;
  const bkr_attention_1 *attention_;
  const bkr_mla_prefill_1 *kernels_;
  Floats query_, latent_, rope_, key_, value_, out_;
  Floats cache_;  // [kBlocks, kBlockSize, kRow]
};

}  // namespace

std::unique_ptr<Layer> make_mla_layer(const bkr::registry &registry, std::mt19937 random) {
  return std::make_unique<MlaLayer>(registry, random);
}

}  // namespace engine
