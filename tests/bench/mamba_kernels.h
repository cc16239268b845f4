// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_BENCH_MAMBA_KERNELS_H
#define BKR_TESTS_BENCH_MAMBA_KERNELS_H

// The layers with a state as a host calls them, and beside each the loop that one writes first (one thread, no vectors
// of its own). All float32.

#include <backend_registry/interfaces/mamba.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernel_bench.h"

namespace bkr::bench {

// Sizes of layers of models of 7 to 30 billion parameters.
inline constexpr int64_t kChannels = 4096, kTaps = 4;
inline constexpr int64_t kScanKeys = 16;                                          // MAMBA1
inline constexpr int64_t kScanHeads = 64, kScanValues = 64, kHeadScanKeys = 128;  // MAMBA2, one group
inline constexpr int64_t kHeads = 32, kGroups = 16, kSize = 128;                  // LINEAR, GDN_ATTN

inline float softplus(float x) { return x > 20.0f ? x : std::log1p(std::exp(x)); }
inline float silu(float x) { return x / (1.0f + std::exp(-x)); }
inline float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }

inline std::vector<int32_t> steps(int64_t count, int64_t step) {
  std::vector<int32_t> made;
  for (int64_t i = 0; i < count; ++i) made.push_back(static_cast<int32_t>(i * step));
  return made;
}

// Requests of `tokens` tokens each, with a slot each.
struct Requests {
  Requests(int64_t requests, int64_t tokens) : Requests(steps(requests + 1, tokens), steps(requests, 1)) {}
  Requests(const std::vector<int32_t> &first_rows, const std::vector<int32_t> &own_slots)
      : starts(first_rows.data(), first_rows.size()), slots(own_slots.data(), own_slots.size()) {}
  Tensor starts, slots;
};

template <class Params>
Params begin(const Requests &requests, const Tensor &out) {
  Params params{};
  params.struct_size = sizeof params;
  params.query_start_loc = requests.starts.view();
  params.state_indices = requests.slots.view();
  params.out = out.view();
  return params;
}

// A backend and its table.
struct Backend {
  explicit Backend(const char *member) : backend(bkr::bench::make_backend("mamba", member)) {
    table = backend.get_interface<bkr_mamba_1>(BKR_MAMBA_1);
  }
  template <class Params>
  void call(bkr_status (BKR_CALL *bkr_mamba_1::*function)(bkr_backend *, const Params *, void *, bkr_error *),
            const Params &params) {
    char text[512] = "";
    bkr_error error = BKR_ERROR_INIT(text);
    expect_ok((table->*function)(backend.handle(), &params, nullptr, &error), text);
  }
  bkr::backend backend;
  const bkr_mamba_1 *table = nullptr;
};

// Each kernel has its tensors, run() through the library, and plain(), the loop.
struct Conv {
  Conv(int64_t requests, int64_t tokens)
      : batch(requests, tokens),
        count(requests * tokens),
        x({count, kChannels}),
        weight({kChannels, kTaps}),
        bias({kChannels}),
        state({requests, kChannels, kTaps - 1}),
        out({count, kChannels}) {}
  void run() {
    static Backend backend("MAMBA1");
    auto params = begin<bkr_mamba_conv_params>(batch, out);
    params.activation = BKR_MAMBA_ACTIVATION_SILU;
    params.x = x.view();
    params.weight = weight.view();
    params.bias = bias.view();
    params.conv_state = state.view();
    backend.call(&bkr_mamba_1::causal_conv1d, params);
  }
  void plain() {
    for (int64_t t = 0; t < count; ++t) {
      for (int64_t d = 0; d < kChannels; ++d) {
        float sum = bias.data()[d];
        for (int64_t i = 0; i < kTaps; ++i) {
          const int64_t at = t + i - (kTaps - 1);
          const float u = at < 0 ? state.data()[d * (kTaps - 1) + at + kTaps - 1] : x.data()[at * kChannels + d];
          sum += weight.data()[d * kTaps + i] * u;
        }
        out.data()[t * kChannels + d] = silu(sum);
      }
    }
  }
  Requests batch;
  int64_t count;
  Tensor x, weight, bias, state, out;
};

// What both scans are given.
template <class Scan>
bkr_mamba_scan_params scan_params(Scan &scan) {
  auto params = begin<bkr_mamba_scan_params>(scan.batch, scan.out);
  params.dt_softplus = 1;
  params.x = scan.x.view();
  params.dt = scan.dt.view();
  params.A = scan.A.view();
  params.B = scan.B.view();
  params.C = scan.C.view();
  params.D = scan.D.view();
  params.state = scan.state.view();
  return params;
}

struct ChannelScan {
  ChannelScan(int64_t requests, int64_t tokens)
      : batch(requests, tokens),
        count(requests * tokens),
        x({count, kChannels}),
        dt({count, kChannels}),
        z({count, kChannels}),
        A({kChannels, kScanKeys}),
        B({count, 1, kScanKeys}),
        C({count, 1, kScanKeys}),
        D({kChannels}),
        state({requests, kChannels, kScanKeys}),
        out({count, kChannels}) {
    A.scale(0.9f, -1.0f);
    dt.scale(1.0f, -2.0f);
  }
  void run() {
    static Backend backend("MAMBA1");
    auto params = scan_params(*this);
    params.z = z.view();
    backend.call(&bkr_mamba_1::selective_scan, params);
  }
  void plain() {
    for (int64_t t = 0; t < count; ++t) {
      const float *b = B.data() + t * kScanKeys;
      const float *c = C.data() + t * kScanKeys;
      for (int64_t d = 0; d < kChannels; ++d) {
        const float step = softplus(dt.data()[t * kChannels + d]);
        const float input = x.data()[t * kChannels + d];
        float *h = state.data() + d * kScanKeys;
        float sum = D.data()[d] * input;
        for (int64_t n = 0; n < kScanKeys; ++n) {
          h[n] = std::exp(step * A.data()[d * kScanKeys + n]) * h[n] + step * b[n] * input;
          sum += h[n] * c[n];
        }
        out.data()[t * kChannels + d] = sum * silu(z.data()[t * kChannels + d]);
      }
    }
  }
  Requests batch;
  int64_t count;
  Tensor x, dt, z, A, B, C, D, state, out;
};

struct HeadScan {
  HeadScan(int64_t requests, int64_t tokens)
      : batch(requests, tokens),
        count(requests * tokens),
        x({count, kScanHeads, kScanValues}),
        dt({count, kScanHeads}),
        A({kScanHeads}),
        B({count, 1, kHeadScanKeys}),
        C({count, 1, kHeadScanKeys}),
        D({kScanHeads}),
        state({requests, kScanHeads, kScanValues, kHeadScanKeys}),
        out({count, kScanHeads, kScanValues}) {
    A.scale(0.9f, -1.0f);
    dt.scale(1.0f, -2.0f);
  }
  void run() {
    static Backend backend("MAMBA2");
    auto params = scan_params(*this);
    params.chunk_size = chunk_size;
    backend.call(&bkr_mamba_1::selective_scan, params);
  }
  void plain() {
    for (int64_t t = 0; t < count; ++t) {
      const float *b = B.data() + t * kHeadScanKeys;
      const float *c = C.data() + t * kHeadScanKeys;
      for (int64_t h = 0; h < kScanHeads; ++h) {
        const float step = softplus(dt.data()[t * kScanHeads + h]);
        const float decay = std::exp(step * A.data()[h]);
        for (int64_t p = 0; p < kScanValues; ++p) {
          const int64_t at = (t * kScanHeads + h) * kScanValues + p;
          const float input = x.data()[at];
          float *row = state.data() + (h * kScanValues + p) * kHeadScanKeys;
          float sum = D.data()[h] * input;
          for (int64_t n = 0; n < kHeadScanKeys; ++n) {
            row[n] = decay * row[n] + step * b[n] * input;
            sum += row[n] * c[n];
          }
          out.data()[at] = sum;
        }
      }
    }
  }
  Requests batch;
  int64_t count;
  int32_t chunk_size = 0;
  Tensor x, dt, A, B, C, D, state, out;
};

struct Linear {
  Linear(int64_t requests, int64_t tokens)
      : batch(requests, tokens),
        count(requests * tokens),
        query({count, kHeads, kSize}),
        key({count, kHeads, kSize}),
        value({count, kHeads, kSize}),
        slopes({kHeads}),
        state({requests, kHeads, kSize, kSize}),
        out({count, kHeads, kSize}) {
    slopes.scale(0.45f, 0.5f);
  }
  void run() {
    static Backend backend("LINEAR");
    auto params = begin<bkr_mamba_linear_params>(batch, out);
    params.chunk_size = chunk_size;
    params.query = query.view();
    params.key = key.view();
    params.value = value.view();
    params.slopes = slopes.view();
    params.state = state.view();
    backend.call(&bkr_mamba_1::linear_attention, params);
  }
  void plain() {
    for (int64_t t = 0; t < count; ++t) {
      for (int64_t h = 0; h < kHeads; ++h) {
        const float decay = std::exp(-slopes.data()[h]);
        const int64_t at = (t * kHeads + h) * kSize;
        float *S = state.data() + h * kSize * kSize;
        float *sums = out.data() + at;
        std::fill_n(sums, kSize, 0.0f);
        for (int64_t n = 0; n < kSize; ++n) {
          for (int64_t p = 0; p < kSize; ++p) {
            S[n * kSize + p] = decay * S[n * kSize + p] + key.data()[at + n] * value.data()[at + p];
            sums[p] += query.data()[at + n] * S[n * kSize + p];
          }
        }
      }
    }
  }
  Requests batch;
  int64_t count;
  int32_t chunk_size = 0;
  Tensor query, key, value, slopes, state, out;
};

struct GatedDelta {
  GatedDelta(int64_t requests, int64_t tokens)
      : batch(requests, tokens),
        count(requests * tokens),
        query({count, kGroups, kSize}),
        key({count, kGroups, kSize}),
        value({count, kHeads, kSize}),
        a({count, kHeads}),
        b({count, kHeads}),
        A_log({kHeads}),
        state({requests, kHeads, kSize, kSize}),
        out({count, kHeads, kSize}) {
    a.scale(1.0f, -2.0f);
  }
  void run() {
    static Backend backend("GDN_ATTN");
    auto params = begin<bkr_mamba_delta_params>(batch, out);
    params.chunk_size = chunk_size;
    params.query = query.view();
    params.key = key.view();
    params.value = value.view();
    params.a = a.view();
    params.b = b.view();
    params.A_log = A_log.view();
    params.state = state.view();
    backend.call(&bkr_mamba_1::gated_delta_rule, params);
  }
  static void normalise(const float *from, float scale, float *to) {
    float squares = 1e-6f;
    for (int64_t n = 0; n < kSize; ++n) squares += from[n] * from[n];
    for (int64_t n = 0; n < kSize; ++n) to[n] = from[n] * scale / std::sqrt(squares);
  }
  void plain() {
    float q[kSize];
    float k[kSize];
    for (int64_t t = 0; t < count; ++t) {
      for (int64_t h = 0; h < kHeads; ++h) {
        const int64_t of_group = (t * kGroups + h / (kHeads / kGroups)) * kSize;
        normalise(query.data() + of_group, 1.0f / std::sqrt(float{kSize}), q);
        normalise(key.data() + of_group, 1.0f, k);
        const float decay = std::exp(-std::exp(A_log.data()[h]) * softplus(a.data()[t * kHeads + h]));
        const float beta = sigmoid(b.data()[t * kHeads + h]);
        for (int64_t p = 0; p < kSize; ++p) {
          float *row = state.data() + (h * kSize + p) * kSize;
          float memory = 0.0f;
          for (int64_t n = 0; n < kSize; ++n) {
            row[n] *= decay;
            memory += row[n] * k[n];
          }
          const int64_t at = (t * kHeads + h) * kSize + p;
          const float change = beta * (value.data()[at] - memory);
          float sum = 0.0f;
          for (int64_t n = 0; n < kSize; ++n) {
            row[n] += change * k[n];
            sum += row[n] * q[n];
          }
          out.data()[at] = sum;
        }
      }
    }
  }
  Requests batch;
  int64_t count;
  int32_t chunk_size = 0;
  Tensor query, key, value, a, b, A_log, state, out;
};

}  // namespace bkr::bench

#endif  // BKR_TESTS_BENCH_MAMBA_KERNELS_H
