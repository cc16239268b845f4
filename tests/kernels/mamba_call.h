// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_KERNELS_MAMBA_CALL_H
#define BKR_TESTS_KERNELS_MAMBA_CALL_H

// A call of bkr.mamba/1 with all its tensors by their names in the interface, as an engine would lay them out.

#include <backend_registry/interfaces/mamba.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "strided_tensor.h"

namespace bkr::test {

// What kind of call. Slots are given to requests in mixed order; one slot is nobody's.
struct MambaKind {
  std::string member = "MAMBA1";  // decides the form of the tensors
  bool convolution = false;       // causal_conv1d, else the member's own function
  std::vector<int64_t> tokens = {3};
  std::vector<int> skipped;  // requests without a slot
  std::vector<int> fresh;    // requests without an initial state: their slots are left full of NaN
  int64_t heads = 2;         // MAMBA1 and causal_conv1d: heads * values channels
  int64_t groups = 1;
  int64_t values = 4;  // P
  int64_t keys = 4;    // N
  int64_t taps = 4;
  std::string dtype = "float32";
  std::string state_dtype = "float32";
  bool options = true;     // bias, D, z, gates: all that may be left away
  bool scattered = false;  // rows with gaps; tokens slowest or not; the convolution's state as [NS, W - 1, D]
  double decay = 1.0;      // how fast states fade
  int32_t chunk_size = 0;
  uint32_t seed = 1;
};

struct MambaCall {
  MambaCall() = default;
  explicit MambaCall(const MambaKind &kind);

  std::string function;
  std::map<std::string, StridedTensor> tensors;
  bool silu = false;
  bool dt_softplus = false;
  int32_t chunk_size = 0;

  bool has(const std::string &name) const { return tensors.contains(name); }
  StridedTensor &at(const std::string &name) { return tensors.at(name); }
  StridedTensor &state() { return at(function == "causal_conv1d" ? "conv_state" : "state"); }
  StridedTensor &add(const std::string &name, StridedTensor tensor) {
    return tensors.insert_or_assign(name, std::move(tensor)).first->second;
  }
  const DLTensor *view(const std::string &name);  // NULL if there is none

  bkr_mamba_conv_params conv();
  bkr_mamba_scan_params scan();
  bkr_mamba_linear_params linear();
  bkr_mamba_delta_params delta();
};

// The part of the call with the tokens first … first + count - 1 of each request, on a copy of `state`; requests that
// are not fresh, or have had tokens before, continue from it.
MambaCall part_of(MambaCall &whole, int64_t first, int64_t count, const StridedTensor &state);

}  // namespace bkr::test

#endif  // BKR_TESTS_KERNELS_MAMBA_CALL_H
