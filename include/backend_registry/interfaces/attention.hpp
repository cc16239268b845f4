// SPDX-License-Identifier: Apache-2.0
#ifndef BACKEND_REGISTRY_INTERFACES_ATTENTION_HPP
#define BACKEND_REGISTRY_INTERFACES_ATTENTION_HPP

// For authors of attention backends in C++: derive from bkr::attention_backend, and the table of bkr.attention/1 is
// there. What the functions do, their shapes and their errors: attention.h.

#include <string>
#include <string_view>

#include "../plugin.hpp"
#include "attention.h"

namespace bkr {

// struct_size of the parameters is checked before a function is called, tensors and flags are not. stream is NULL
// for a backend on a CPU.
class attention_backend : public plugin_backend {
 public:
  // Which shape the backend's kv_cache has: writes params.shape and params.ndim. By itself [2, NB, KH, BS, D], for
  // values no longer than keys; override it for another one. Any thread.
  virtual void kv_cache_shape(const bkr_attention_kv_cache_params &params, void *stream);

  // Puts keys and values into the cache.
  virtual void write_kv(const bkr_attention_write_kv_params &params, void *stream) = 0;

  // Attention of every query token.
  virtual void forward(const bkr_attention_forward_params &params, void *stream) = 0;

  // The table of bkr.attention/1. A backend with more interfaces overrides it, and asks this one for the rest.
  const void *get_interface(std::string_view id) override;
};

inline void attention_backend::kv_cache_shape(const bkr_attention_kv_cache_params &params, void *) {
  if (params.flags != 0) throw error(BKR_INVALID_ARGUMENT, "flags is " + std::to_string(params.flags) + ", must be 0");
  if (params.shape == nullptr) throw error(BKR_INVALID_ARGUMENT, "shape is NULL");
  if (params.ndim == nullptr) throw error(BKR_INVALID_ARGUMENT, "ndim is NULL");
  const auto positive = [](const char *what, int64_t value) {
    if (value < 1) throw error(BKR_INVALID_ARGUMENT, what + (" is " + std::to_string(value)) + ", must be at least 1");
  };
  positive("num_blocks", params.num_blocks);
  positive("block_size", params.block_size);
  positive("num_kv_heads", params.num_kv_heads);
  positive("head_size", params.head_size);
  if (params.value_head_size < 0 || params.value_head_size > params.head_size) {
    throw error(BKR_INVALID_ARGUMENT, "value_head_size is " + std::to_string(params.value_head_size) +
                                          ", must be 0 or at most head_size, " + std::to_string(params.head_size));
  }
  int64_t elements = 2;
  for (const int64_t size : {params.num_blocks, params.block_size, params.num_kv_heads, params.head_size}) {
    constexpr int64_t kMost = INT64_MAX / 8;  // whose bytes can be counted, whatever the type
    if (size > kMost / elements) throw error(BKR_INVALID_ARGUMENT, "a cache of these sizes cannot be addressed");
    elements *= size;
  }
  const int64_t shape[] = {2, params.num_blocks, params.num_kv_heads, params.block_size, params.head_size};
  std::copy(std::begin(shape), std::end(shape), params.shape);
  *params.ndim = 5;
}

inline const void *attention_backend::get_interface(std::string_view id) {
  static constexpr bkr_attention_1 table = {sizeof(bkr_attention_1), 0, method<&attention_backend::kv_cache_shape>,
                                            method<&attention_backend::write_kv>, method<&attention_backend::forward>};
  return id == BKR_ATTENTION_1 ? &table : nullptr;
}

}  // namespace bkr

#endif  // BACKEND_REGISTRY_INTERFACES_ATTENTION_HPP
