// SPDX-License-Identifier: Apache-2.0
// The layers with a state, beside the loop that one writes first (one thread, no vectors of its own), and decoding
// beside a plain read of as many bytes as it reads and writes of states. All float32, through the library.
#include <backend_registry/interfaces/mamba.h>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <thread>

#include "kernel_bench.h"

namespace {

using bkr::bench::expect_ok;
using bkr::bench::Tensor;

constexpr int64_t kShort = 512;
constexpr int64_t kLong = 2048;
constexpr int64_t kDecoded = 16;  // requests of one token

// Sizes of layers of models of 7 to 30 billion parameters.
constexpr int64_t kChannels = 4096, kTaps = 4;
constexpr int64_t kScanKeys = 16;                                          // MAMBA1
constexpr int64_t kScanHeads = 64, kScanValues = 64, kHeadScanKeys = 128;  // MAMBA2, one group
constexpr int64_t kHeads = 32, kGroups = 16, kSize = 128;                  // LINEAR, GDN_ATTN

float softplus(float x) { return x > 20.0f ? x : std::log1p(std::exp(x)); }
float silu(float x) { return x / (1.0f + std::exp(-x)); }
float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }

// Requests of `tokens` tokens each, with a slot each.
struct Requests {
  Requests(int64_t requests, int64_t tokens) : starts(steps(requests + 1, tokens)), slots(steps(requests, 1)) {}
  static std::vector<int32_t> steps(int64_t count, int64_t step) {
    std::vector<int32_t> made;
    for (int64_t i = 0; i < count; ++i) made.push_back(static_cast<int32_t>(i * step));
    return made;
  }
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
    auto params = begin<bkr_mamba_scan_params>(batch, out);
    params.dt_softplus = 1;
    params.x = x.view();
    params.dt = dt.view();
    params.A = A.view();
    params.B = B.view();
    params.C = C.view();
    params.D = D.view();
    params.z = z.view();
    params.state = state.view();
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
    auto params = begin<bkr_mamba_scan_params>(batch, out);
    params.dt_softplus = 1;
    params.chunk_size = chunk_size;
    params.x = x.view();
    params.dt = dt.view();
    params.A = A.view();
    params.B = B.view();
    params.C = C.view();
    params.D = D.view();
    params.state = state.view();
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

template <class Kernel>
void prefill(benchmark::State &state) {
  Kernel kernel(1, state.range(0));
  kernel.run();
  for (auto _ : state) kernel.run();
}

template <class Kernel>
void token_by_token(benchmark::State &state) {
  Kernel kernel(1, kShort);
  kernel.chunk_size = 1;
  kernel.run();
  for (auto _ : state) kernel.run();
}

template <class Kernel>
void plain(benchmark::State &state) {
  Kernel kernel(1, kShort);
  for (auto _ : state) kernel.plain();
}

template <class Kernel>
void decode(benchmark::State &state) {
  Kernel kernel(kDecoded, 1);
  kernel.run();
  for (auto _ : state) kernel.run();
}

// What decode reads and writes of states, read by as many threads as there are.
template <class Kernel>
void read_as_much(benchmark::State &state) {
  const Kernel kernel(kDecoded, 1);
  const auto workers = std::max(1U, std::thread::hardware_concurrency());
  const std::vector<float> memory(static_cast<std::size_t>(2 * kernel.state.bytes()) / sizeof(float) / workers, 1.0f);
  std::vector<std::vector<float>> parts(workers, memory);
  for (auto _ : state) {
    std::vector<std::thread> threads;
    for (const auto &part : parts) {
      threads.emplace_back([&part] { benchmark::DoNotOptimize(bkr::bench::read_all(part)); });
    }
    for (std::thread &thread : threads) thread.join();
  }
}

#define BKR_BENCH_KERNEL(Kernel)                                                                                 \
  BENCHMARK(prefill<Kernel>)->Name(#Kernel "/short")->Arg(kShort)->UseRealTime()->Unit(benchmark::kMicrosecond); \
  BENCHMARK(prefill<Kernel>)->Name(#Kernel "/long")->Arg(kLong)->UseRealTime()->Unit(benchmark::kMicrosecond);   \
  BENCHMARK(plain<Kernel>)->Name(#Kernel "/plain")->UseRealTime()->Unit(benchmark::kMicrosecond);                \
  BENCHMARK(decode<Kernel>)->Name(#Kernel "/decode")->UseRealTime()->Unit(benchmark::kMicrosecond);              \
  BENCHMARK(read_as_much<Kernel>)->Name(#Kernel "/read")->UseRealTime()->Unit(benchmark::kMicrosecond)
#define BKR_BENCH_RECURRENCE(Kernel) \
  BKR_BENCH_KERNEL(Kernel);          \
  BENCHMARK(token_by_token<Kernel>)->Name(#Kernel "/token_by_token")->UseRealTime()->Unit(benchmark::kMicrosecond)

BKR_BENCH_KERNEL(Conv);
BKR_BENCH_KERNEL(ChannelScan);
BKR_BENCH_RECURRENCE(HeadScan);
BKR_BENCH_RECURRENCE(Linear);
BKR_BENCH_RECURRENCE(GatedDelta);

// Prints the usual table, and under it each kernel beside its rivals.
class Ratios : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run> &runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run &run : runs) {
      const bool is_median = run.run_type == Run::RT_Aggregate && run.aggregate_name == "median";
      if (run.run_type != Run::RT_Iteration && !is_median) continue;
      times_[run.run_name.function_name] = run.GetAdjustedRealTime() / 1000.0;
    }
  }
  void Finalize() override {
    std::printf("\n%-26s %9s %9s %11s %9s %7s %9s %7s\n", "", "512 ms", "plain ms", "plain/ours", "2048 ms", "/512",
                "decode ms", "read %");
    row("causal_conv1d", "Conv", "short");
    row("MAMBA1 selective_scan", "ChannelScan", "short");
    for (const auto &[what, kernel] :
         {std::pair{"MAMBA2 selective_scan", "HeadScan"}, std::pair{"linear_attention", "Linear"},
          std::pair{"gated_delta_rule", "GatedDelta"}}) {
      row(what, kernel, "short");
      row("  token by token", kernel, "token_by_token");
    }
    std::printf(
        "plain: the loop as one writes it first, one thread, -O2; read %%: a plain read of as many bytes as\n"
        "decoding %d requests reads and writes of states, in per cent of the time it takes\n",
        static_cast<int>(kDecoded));
  }

 private:
  double time(const std::string &kernel, const char *what) { return times_[kernel + "/" + what]; }
  void row(const char *what, const std::string &kernel, const char *ours) {
    const double time_of_ours = time(kernel, ours);
    std::printf("%-26s %9.2f %9.1f %9.1f x", what, time_of_ours, time(kernel, "plain"),
                time(kernel, "plain") / time_of_ours);
    if (std::strcmp(ours, "short") == 0) {
      std::printf(" %9.2f %7.2f %9.3f %7.0f", time(kernel, "long"), time(kernel, "long") / time_of_ours,
                  time(kernel, "decode"), 100.0 * time(kernel, "read") / time(kernel, "decode"));
    }
    std::printf("\n");
  }

  std::map<std::string, double> times_;
};

}  // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  Ratios ratios;
  benchmark::RunSpecifiedBenchmarks(&ratios);
  benchmark::Shutdown();
}
