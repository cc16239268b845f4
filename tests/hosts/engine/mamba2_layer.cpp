// SPDX-License-Identifier: Apache-2.0
#include <backend_registry/interfaces/mamba.h>

#include <cmath>

#include "dense.h"
#include "layer.h"

namespace engine {
namespace {

constexpr int64_t kHeads = 4;
constexpr int64_t kHeadSize = 16;
constexpr int64_t kGroups = 2;
constexpr int64_t kStateSize = 16;
constexpr int64_t kWidth = 4;
constexpr int64_t kInner = kHeads * kHeadSize;
constexpr int64_t kConvolved = kInner + 2 * kGroups * kStateSize;  // x, B, C

// Mamba 2's mixer: projection to gate, (x, B, C) and steps; convolution; scan; gated norm; projection.
class Mamba2Layer : public Layer {
 public:
  Mamba2Layer(const bkr::registry &registry, std::mt19937 random)
      : backend_(
            choose(registry, "mamba", {{"mamba_type", "MAMBA2"}, {"dtype", "float32"}, {"state_dtype", "float32"}})),
        kernels_(backend_.get_interface<bkr_mamba_1>(BKR_MAMBA_1)),
        in_(random_weights(random, kHidden, kInner + kConvolved + kHeads)),
        out_(random_weights(random, kInner, kHidden)),
        conv_weight_(random_weights(random, kConvolved, kWidth)),
        conv_bias_({kConvolved}, 0.1f),
        A_({kHeads}),
        D_({kHeads}, 0.5f),
        dt_bias_({kHeads}, -1.0f) {
    for (float &weight : conv_weight_.data) weight *= 5.0f;
    for (int64_t head = 0; head < kHeads; ++head)
      A_.data[static_cast<std::size_t>(head)] = -0.1f * static_cast<float>(head + 1);
    int64_t conv_shape[BKR_MAMBA_MAX_DIMS];
    int64_t shape[BKR_MAMBA_MAX_DIMS];
    int32_t conv_ndim = 0;
    int32_t ndim = 0;
    const bkr_mamba_state_params sizes = {sizeof(sizes), 0,      kSlots,     kHeads, kHeadSize,  kGroups,
                                          kStateSize,    kWidth, conv_shape, shape,  &conv_ndim, &ndim};
    backend_.call(kernels_->state_shapes, sizes);
    conv_state_ = Floats({conv_shape, conv_shape + conv_ndim}, NAN);
    state_ = Floats({shape, shape + ndim}, NAN);
  }

  Floats forward(const Floats &x, Batch &batch) override {
    const int64_t tokens = x.rows();
    Floats projected = multiply(x, in_);  // gate, (x, B, C), steps
    Floats convolved({tokens, kConvolved});
    const auto starts = batch.query_start_loc.view();
    const auto slots = batch.state_indices.view();
    const auto has_state = batch.has_initial_state.view();
    const auto conv_in = projected.part(0, tokens, {kConvolved}, kInner);
    const auto conv_out = convolved.view();
    const auto weight = conv_weight_.view();
    const auto bias = conv_bias_.view();
    const auto conv_state = conv_state_.view();
    bkr_mamba_conv_params conv{};
    conv.struct_size = sizeof(conv);
    conv.activation = BKR_MAMBA_ACTIVATION_SILU;
    conv.x = conv_in;
    conv.weight = weight;
    conv.bias = bias;
    conv.query_start_loc = starts;
    conv.state_indices = slots;
    conv.has_initial_state = has_state;
    conv.conv_state = conv_state;
    conv.out = conv_out;
    backend_.call(kernels_->causal_conv1d, conv);

    Floats scanned({tokens, kHeads, kHeadSize});
    const auto scan_x = convolved.part(0, tokens, {kHeads, kHeadSize});
    const auto B = convolved.part(0, tokens, {kGroups, kStateSize}, kInner);
    const auto C = convolved.part(0, tokens, {kGroups, kStateSize}, kInner + kGroups * kStateSize);
    const auto dt = projected.part(0, tokens, {kHeads}, kInner + kConvolved);
    const auto A = A_.view();
    const auto D = D_.view();
    const auto dt_bias = dt_bias_.view();
    const auto state = state_.view();
    const auto scan_out = scanned.view();
    bkr_mamba_scan_params scan{};
    scan.struct_size = sizeof(scan);
    scan.dt_softplus = 1;
    scan.x = scan_x;
    scan.dt = dt;
    scan.A = A;
    scan.B = B;
    scan.C = C;
    scan.D = D;
    scan.dt_bias = dt_bias;
    scan.query_start_loc = starts;
    scan.state_indices = slots;
    scan.has_initial_state = has_state;
    scan.state = state;
    scan.out = scan_out;
    backend_.call(kernels_->selective_scan, scan);

    for (int64_t t = 0; t < tokens; ++t) {
      for (int64_t i = 0; i < kInner; ++i) scanned.row(t)[i] *= silu(projected.row(t)[i]);
    }
    rms_norm(scanned, kInner);
    return multiply(scanned, out_);
  }

 private:
  bkr::backend backend_;
  const bkr_mamba_1 *kernels_;
  Floats in_, out_;
  Floats conv_weight_, conv_bias_, A_, D_, dt_bias_;
  Floats conv_state_, state_;
};

}  // namespace

std::unique_ptr<Layer> make_mamba2_layer(const bkr::registry &registry, std::mt19937 random) {
  return std::make_unique<Mamba2Layer>(registry, random);
}

}  // namespace engine
