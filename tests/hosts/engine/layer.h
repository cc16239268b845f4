// SPDX-License-Identifier: Apache-2.0
#ifndef ENGINE_LAYER_H
#define ENGINE_LAYER_H

#include <backend_registry/backend_registry.hpp>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "batch.h"
#include "tensor.h"

namespace engine {

// Width of the model, and room for requests and for blocks of the paged caches.
inline constexpr int64_t kHidden = 64;
inline constexpr int64_t kSlots = 8;
inline constexpr int64_t kBlocks = 64;

// One layer with the memory of all requests, and the backends that do its work.
class Layer {
 public:
  virtual ~Layer() = default;

  // x [T, kHidden], normalised, to what the layer adds to it.
  virtual Floats forward(const Floats &x, Batch &batch) = 0;
};

// The backend that a family chooses for these facts, made and initialised; says on standard output which.
bkr::backend choose(const bkr::registry &registry, const char *family, std::vector<bkr_option> facts);

// Each makes its own weights; the same seed gives the same layer.
std::unique_ptr<Layer> make_attention_layer(const bkr::registry &registry, std::mt19937 random);
std::unique_ptr<Layer> make_mamba2_layer(const bkr::registry &registry, std::mt19937 random);
std::unique_ptr<Layer> make_mla_layer(const bkr::registry &registry, std::mt19937 random);

}  // namespace engine

#endif  // ENGINE_LAYER_H
