// SPDX-License-Identifier: Apache-2.0
// The attention backends as a host reaches them, beside what the machine can do at most and beside plain loops.
//
// Speed drifts by a quarter from second to second, so that only ratios count: each repetition of a kernel is followed
// by one of its limit, and a line shows
//   Time       of a kernel's call, as a mean; `ms` is the median
//   GFLOP_s    (prefill, MLA) two operations for each key seen and each element of key and value; GB_s (decode)
//   limit      the same unit: the rate of a 2048^3 product by oneDNN, or of a plain read of as many bytes
//   share_pct  the first as a share of the second, medians of both. -1 without oneDNN
//   plain_ms   plain loops on one thread: of one head measured once, times heads and requests
// Threads: two, or BKR_NUM_THREADS. With one thread its CPU time is measured, which tells more on a machine that others
// use as well.
#include <backend_registry/interfaces/attention.h>
#include <backend_registry/interfaces/mla_prefill.h>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <backend_registry/backend_registry.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "machine_limits.h"

namespace bkr::bench {
namespace {

using Shape = std::vector<int64_t>;

registry &plugins() {
  static registry opened = [] {
    registry made = registry::open();
    made.set_threads(static_cast<uint32_t>(thread_count()));
    return made;
  }();
  return opened;
}

void expect_ok(bkr_status status, const char *text) {
  if (status == BKR_OK) return;
  std::fprintf(stderr, "attention_bench: %s\n", text);
  std::exit(1);
}

// A compact tensor with numbers between -1 and 1 in it.
class Tensor {
 public:
  Tensor(DLDataType type, Shape shape, uint32_t seed) : shape_(std::move(shape)) {
    int64_t count = 1;
    for (const int64_t size : shape_) count *= size;
    bytes_ = static_cast<std::size_t>(count) * type.bits / 8;
    memory_ = std::make_unique<Floats>((bytes_ + 3) / 4 + 16);
    if (type.code == kDLInt) {
      std::fill_n(static_cast<char *>(data()), bytes_, '\0');
    } else if (type.bits == 32) {
      memory_->fill(seed);
    } else {
      // Two small numbers a float's place: in both types a sign, and an exponent below 1.
      auto *words = static_cast<uint16_t *>(data());
      for (std::size_t i = 0; i < bytes_ / 2; ++i) {
        seed = seed * 1664525u + 1013904223u;
        words[i] = static_cast<uint16_t>((seed >> 16 & 0x83ff) | (type.code == kDLBfloat ? 0x3c00 : 0x3000));
      }
    }
    tensor_.data = data();
    tensor_.device = {kDLCPU, 0};
    tensor_.ndim = static_cast<int>(shape_.size());
    tensor_.dtype = type;
    tensor_.shape = shape_.data();
  }
  Tensor(const Tensor &) = delete;

  const DLTensor *view() const { return &tensor_; }
  std::size_t bytes() const { return bytes_; }
  void *data() const {  // at a cache line's start
    const auto at = reinterpret_cast<uintptr_t>(memory_->data());
    return reinterpret_cast<void *>((at + 63) / 64 * 64);
  }
  int32_t *whole() const { return static_cast<int32_t *>(data()); }

 private:
  Shape shape_;
  std::size_t bytes_ = 0;
  std::unique_ptr<Floats> memory_;
  DLTensor tensor_{};
};

constexpr DLDataType kFloat{kDLFloat, 32, 1};
constexpr DLDataType kHalf{kDLFloat, 16, 1};
constexpr DLDataType kBfloat{kDLBfloat, 16, 1};
constexpr DLDataType kInt{kDLInt, 32, 1};

// One call of a kernel, ready to be made again and again.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual void call() = 0;
  virtual double operations() const = 0;
  // What decoding is bound by: memory that is read as a whole. NULL: arithmetic decides.
  virtual const Tensor *read() const { return nullptr; }
  virtual double plain_seconds() const = 0;
  // Whether it comes in rows of short calls.
  virtual bool decodes() const { return false; }
};

struct PagedSizes {
  const char *member;
  DLDataType type;
  int64_t requests, queries, tokens;  // of each request
  int64_t heads, kv_heads, size, value_size;
  bool latent;
  bool decode() const { return queries == 1 && !latent; }
};

class Paged : public Kernel {
 public:
  static constexpr int64_t kBlock = 16;

  explicit Paged(const PagedSizes &sizes)
      : sizes_(sizes),
        backend_(plugins().open_backend("attention", sizes.member)),
        query_(sizes.type, {sizes.requests * sizes.queries, sizes.heads, sizes.size}, 1),
        out_(sizes.type, {sizes.requests * sizes.queries, sizes.heads, sizes.value_size}, 2),
        cache_(sizes.type, cache_shape(sizes), 3),
        starts_(kInt, {sizes.requests + 1}, 0),
        lengths_(kInt, {sizes.requests}, 0),
        table_(kInt, {sizes.requests, sizes.tokens / kBlock}, 0) {
    backend_.init();
    table_of_functions_ = backend_.get_interface<bkr_attention_1>(BKR_ATTENTION_1);
    const int64_t blocks = sizes.requests * sizes.tokens / kBlock;
    for (int64_t i = 0; i < blocks; ++i) table_.whole()[i] = static_cast<int32_t>(i);
    std::shuffle(table_.whole(), table_.whole() + blocks, std::mt19937(7));
    for (int64_t r = 0; r <= sizes.requests; ++r) starts_.whole()[r] = static_cast<int32_t>(r * sizes.queries);
    std::fill_n(lengths_.whole(), sizes.requests, static_cast<int32_t>(sizes.tokens));
    params_.scale = 1.0 / std::sqrt(static_cast<double>(sizes.size));
    params_.query = query_.view();
    params_.kv_cache = cache_.view();
    params_.query_start_loc = starts_.view();
    params_.seq_lens = lengths_.view();
    params_.block_table = table_.view();
    params_.out = out_.view();
    if (sizes.latent) params_.value_head_size = static_cast<int32_t>(sizes.value_size);
  }

  void call() override {
    char text[512] = "";
    bkr_error error = BKR_ERROR_INIT(text);
    expect_ok(table_of_functions_->forward(backend_.handle(), &params_, nullptr, &error), text);
  }

  double operations() const override {
    const auto q = static_cast<double>(sizes_.queries);
    const double seen = q * static_cast<double>(sizes_.tokens) - q * (q - 1) / 2;
    return 2.0 * static_cast<double>(sizes_.requests * sizes_.heads * (sizes_.size + sizes_.value_size)) * seen;
  }

  const Tensor *read() const override { return sizes_.decode() ? &cache_ : nullptr; }
  bool decodes() const override { return sizes_.queries == 1; }

  double plain_seconds() const override {
    return seconds_of_plain_loop(sizes_.queries, sizes_.tokens, sizes_.size, sizes_.value_size) *
           static_cast<double>(sizes_.requests * sizes_.heads);
  }

 private:
  static Shape cache_shape(const PagedSizes &sizes) {
    const int64_t blocks = sizes.requests * sizes.tokens / kBlock;
    if (sizes.latent) return {blocks, kBlock, sizes.size};
    return {2, blocks, sizes.kv_heads, kBlock, sizes.size};
  }

  PagedSizes sizes_;
  backend backend_;
  const bkr_attention_1 *table_of_functions_ = nullptr;
  Tensor query_, out_, cache_, starts_, lengths_, table_;
  bkr_attention_forward_params params_ = BKR_ATTENTION_FORWARD_INIT;
};

class MlaPrefill : public Kernel {
 public:
  static constexpr int64_t kTokens = 1024, kHeads = 32, kSize = 192, kValueSize = 128;

  MlaPrefill()
      : backend_(plugins().open_backend("mla_prefill", "CPU")),
        query_(kFloat, {kTokens, kHeads, kSize}, 1),
        key_(kFloat, {kTokens, kHeads, kSize}, 2),
        value_(kFloat, {kTokens, kHeads, kValueSize}, 3),
        out_(kFloat, {kTokens, kHeads, kValueSize}, 4),
        lse_(kFloat, {kHeads, kTokens}, 5),
        starts_(kInt, {2}, 0) {
    backend_.init();
    table_ = backend_.get_interface<bkr_mla_prefill_1>(BKR_MLA_PREFILL_1);
    starts_.whole()[1] = static_cast<int32_t>(kTokens);
    params_.struct_size = sizeof params_;
    params_.causal = 1;
    params_.scale = 1.0 / std::sqrt(static_cast<double>(kSize));
    params_.query = query_.view();
    params_.key = key_.view();
    params_.value = value_.view();
    params_.query_start_loc = starts_.view();
    params_.key_start_loc = starts_.view();
    params_.out = out_.view();
    params_.lse = lse_.view();
  }

  void call() override {
    char text[512] = "";
    bkr_error error = BKR_ERROR_INIT(text);
    expect_ok(table_->prefill(backend_.handle(), &params_, nullptr, &error), text);
  }

  double operations() const override {
    return 2.0 * static_cast<double>(kHeads * (kSize + kValueSize) * (kTokens * (kTokens + 1) / 2));
  }

  double plain_seconds() const override {
    return seconds_of_plain_loop(kTokens, kTokens, kSize, kValueSize) * static_cast<double>(kHeads);
  }

 private:
  backend backend_;
  const bkr_mla_prefill_1 *table_ = nullptr;
  Tensor query_, key_, value_, out_, lse_, starts_;
  bkr_mla_prefill_params params_{};
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

Product &product() {
  static Product one;
  return one;
}

// The kernel of the line that is being measured: lines are called several times, and their memory is large.
struct Line {
  std::string name;
  std::unique_ptr<Kernel> kernel;
  double plain_seconds = 0;
};

Line &line(const std::string &name, const std::function<std::unique_ptr<Kernel>()> &make) {
  static Line current;
  if (current.name == name) return current;
  current = {};
  current = {name, make(), 0};
  current.plain_seconds = current.kernel->plain_seconds();
  current.kernel->call();  // the first call pays for memory and threads
  return current;
}

void measure(benchmark::State &state, const std::string &name, const std::function<std::unique_ptr<Kernel>()> &make) {
  Line &measured = line(name, make);
  Kernel &kernel = *measured.kernel;
  const Tensor *read = kernel.read();
  std::vector<double> own;
  std::vector<double> limit;
  for (auto _ : state) {
    if (kernel.decodes()) kernel.call();  // wakes the threads: the limit's are awake as well
    own.push_back(seconds_of([&] { kernel.call(); }));
    state.SetIterationTime(own.back());
    limit.push_back(read != nullptr ? seconds_of_reading(read->data(), read->bytes()) : product().seconds());
  }
  const double work = read != nullptr ? static_cast<double>(read->bytes()) : kernel.operations();
  const double limit_work = read != nullptr ? static_cast<double>(read->bytes()) : Product::kOperations;
  const double rate = work / median(own) / 1e9;
  const double limit_rate = read != nullptr || Product::available() ? limit_work / median(limit) / 1e9 : -1;
  state.counters["ms"] = median(own) * 1e3;
  state.counters[read != nullptr ? "GB_s" : "GFLOP_s"] = rate;
  state.counters["limit"] = limit_rate;
  state.counters["share_pct"] = limit_rate < 0 ? -1 : 100 * rate / limit_rate;
  state.counters["plain_ms"] = measured.plain_seconds * 1e3;
}

void add(const std::string &name, std::function<std::unique_ptr<Kernel>()> make) {
  benchmark::RegisterBenchmark(name.c_str(), [name, make](benchmark::State &state) { measure(state, name, make); })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

void add_paged(const std::string &name, const PagedSizes &sizes) {
  add(name, [sizes] { return std::make_unique<Paged>(sizes); });
}

void add_all() {
  add_paged("CPU_ATTN/prefill/2048_tokens/float32", {"CPU_ATTN", kFloat, 1, 2048, 2048, 32, 8, 128, 128, false});
  const std::pair<const char *, DLDataType> types[] = {{"float32", kFloat}, {"float16", kHalf}, {"bfloat16", kBfloat}};
  for (const int64_t requests : {1, 8, 32}) {  // of 8 MiB each
    for (const auto &[word, type] : types) {
      const int64_t tokens = 1024 * 32 / type.bits;
      add_paged("CPU_ATTN/decode/" + std::to_string(8 * requests) + "_MiB/" + word,
                {"CPU_ATTN", type, requests, 1, tokens, 32, 8, 128, 128, false});
    }
  }
  add_paged("CPU_ATTN/decode/64_MiB_one_request_one_kv_head/float32",
            {"CPU_ATTN", kFloat, 1, 1, 65536, 4, 1, 128, 128, false});
  for (const int64_t heads : {32, 128}) {
    add_paged("CPU_MLA/decode/8_requests_of_2048_tokens/" + std::to_string(heads) + "_heads",
              {"CPU_MLA", kFloat, 8, 1, 2048, heads, 1, 576, 512, true});
  }
  add("MLA_PREFILL/1024_tokens/float32", [] { return std::make_unique<MlaPrefill>(); });
}

}  // namespace
}  // namespace bkr::bench

int main(int count, char **arguments) {
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 1;
  bkr::bench::add_all();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
