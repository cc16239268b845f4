// SPDX-License-Identifier: Apache-2.0
// The layers with a state, beside the loop that one writes first (one thread, no vectors of its own), and decoding
// beside a plain read of as many bytes as it reads and writes of states. All float32, through the library.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <thread>

#include "mamba_kernels.h"

namespace {

using namespace bkr::bench;

constexpr int64_t kShort = 512;
constexpr int64_t kLong = 2048;
constexpr int64_t kDecoded = 16;  // requests of one token

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
