// SPDX-License-Identifier: Apache-2.0
#ifndef BACKEND_REGISTRY_INTERFACES_MLA_PREFILL_HPP
#define BACKEND_REGISTRY_INTERFACES_MLA_PREFILL_HPP

// For authors of MLA prefill backends in C++: derive from bkr::mla_prefill_backend, and the table of bkr.mla_prefill/1
// is there. What the functions do, their shapes and their errors: mla_prefill.h.

#include <string_view>

#include "../plugin.hpp"
#include "mla_prefill.h"

namespace bkr {

// struct_size of the parameters is checked before a function is called, tensors and flags are not. stream is NULL for a
// backend on a CPU.
class mla_prefill_backend : public plugin_backend {
 public:
  virtual void prefill(const bkr_mla_prefill_params &params, void *stream) = 0;
  virtual void merge(const bkr_mla_merge_params &params, void *stream) = 0;

  // The table of bkr.mla_prefill/1. A backend with more interfaces overrides it, and asks this one for the rest.
  const void *get_interface(std::string_view id) override {
    static constexpr bkr_mla_prefill_1 table = {sizeof(bkr_mla_prefill_1), 0, method<&mla_prefill_backend::prefill>,
                                                method<&mla_prefill_backend::merge>};
    return id == BKR_MLA_PREFILL_1 ? &table : nullptr;
  }
};

}  // namespace bkr

#endif  // BACKEND_REGISTRY_INTERFACES_MLA_PREFILL_HPP
