// SPDX-License-Identifier: Apache-2.0
#ifndef BACKEND_REGISTRY_INTERFACES_MAMBA_HPP
#define BACKEND_REGISTRY_INTERFACES_MAMBA_HPP

// For authors of Mamba backends in C++: derive from bkr::mamba_backend, and the table of bkr.mamba/1 is there. What the
// functions do, their shapes and their errors: mamba.h.

#include <string>
#include <string_view>

#include "../plugin.hpp"
#include "mamba.h"

namespace bkr {

// struct_size of the parameters is checked before a function is called, tensors and flags are not. stream is NULL for a
// backend on a CPU. A function that is not overridden answers BKR_UNSUPPORTED.
class mamba_backend : public plugin_backend {
 public:
  // Which shapes the backend's states have: writes both shapes and both counts. Any thread.
  virtual void state_shapes(const bkr_mamba_state_params &params, void *stream) = 0;

  virtual void causal_conv1d(const bkr_mamba_conv_params &, void *) { have_no("causal_conv1d"); }
  virtual void selective_scan(const bkr_mamba_scan_params &, void *) { have_no("selective_scan"); }
  virtual void linear_attention(const bkr_mamba_linear_params &, void *) { have_no("linear_attention"); }
  virtual void gated_delta_rule(const bkr_mamba_delta_params &, void *) { have_no("gated_delta_rule"); }

  // The table of bkr.mamba/1. A backend with more interfaces overrides it, and asks this one for the rest.
  const void *get_interface(std::string_view id) override {
    static constexpr bkr_mamba_1 table = {sizeof(bkr_mamba_1),
                                          0,
                                          method<&mamba_backend::state_shapes>,
                                          method<&mamba_backend::causal_conv1d>,
                                          method<&mamba_backend::selective_scan>,
                                          method<&mamba_backend::linear_attention>,
                                          method<&mamba_backend::gated_delta_rule>};
    return id == BKR_MAMBA_1 ? &table : nullptr;
  }

 private:
  [[noreturn]] void have_no(const char *function) const {
    throw error(BKR_UNSUPPORTED, std::string(name()) + " has no " + function);
  }
};

}  // namespace bkr

#endif  // BACKEND_REGISTRY_INTERFACES_MAMBA_HPP
