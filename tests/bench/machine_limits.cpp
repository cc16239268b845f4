// SPDX-License-Identifier: Apache-2.0
#include "machine_limits.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <thread>

#ifdef BKR_BENCH_ONEDNN
#include <oneapi/dnnl/dnnl.h>
extern "C" void omp_set_num_threads(int) __attribute__((weak));  // of the library that oneDNN brings along
#endif

namespace bkr::bench {
namespace {

// Keeps a result that nobody looks at.
volatile float sink;
volatile int32_t whole_sink;

typedef int32_t Vector __attribute__((vector_size(32)));

int32_t read_part(const Vector *from, std::size_t count) {
  Vector sums[4] = {};
  for (std::size_t i = 0; i + 4 <= count; i += 4) {
    for (std::size_t v = 0; v < 4; ++v) sums[v] += from[i + v];
  }
  const Vector sum = sums[0] + sums[1] + sums[2] + sums[3];
  return sum[0] + sum[7];
}

}  // namespace

int thread_count() {
  const char *said = std::getenv("BKR_NUM_THREADS");
  return said == nullptr ? 2 : std::max(1, std::atoi(said));
}

double now() {
  timespec time{};
  clock_gettime(thread_count() == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void Floats::fill(uint32_t seed) {
  for (std::size_t i = 0; i < count_; ++i) {
    seed = seed * 1664525u + 1013904223u;
    memory_[i] = static_cast<float>(static_cast<int32_t>(seed)) * 0x1p-31f;
  }
}

#ifdef BKR_BENCH_ONEDNN

bool Product::available() { return true; }

Product::Product() : a_(kRows * kRows), b_(kRows * kRows), c_(kRows * kRows) {
  // What the plugins have one file each for.
  const bool v4 = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0;
  const bool v3 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  dnnl_set_max_cpu_isa(v4 ? dnnl_cpu_isa_avx512_core : v3 ? dnnl_cpu_isa_avx2 : dnnl_cpu_isa_sse41);
  if (omp_set_num_threads != nullptr) omp_set_num_threads(thread_count());
  a_.fill(1);
  b_.fill(2);
}

double Product::seconds() {
  const double seconds = seconds_of([&] {
    dnnl_sgemm('N', 'N', kRows, kRows, kRows, 1.0f, a_.data(), kRows, b_.data(), kRows, 0.0f, c_.data(), kRows);
  });
  // Its threads go on spinning for a moment, in the way of whoever is measured next.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return seconds;
}

#else

bool Product::available() { return false; }
Product::Product() : a_(1), b_(1), c_(1) {}
double Product::seconds() { return 0; }

#endif

double seconds_of_reading(const void *data, std::size_t bytes) {
  const int threads = thread_count();
  const auto *vectors = static_cast<const Vector *>(data);
  const std::size_t count = bytes / sizeof(Vector);
  const auto part = [&](int i) {
    const std::size_t begin = count * static_cast<std::size_t>(i) / static_cast<std::size_t>(threads);
    const std::size_t end = count * static_cast<std::size_t>(i + 1) / static_cast<std::size_t>(threads);
    return read_part(vectors + begin, end - begin);
  };
  // Two rounds, of which the second counts: as for a kernel in a row of others, the threads are awake and what the
  // caches can keep is in them.
  std::atomic<int> round{0};
  std::atomic<int> done{0};
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) {
    others.emplace_back([&, i] {
      for (int mine = 1; mine <= 2; ++mine) {
        while (round.load(std::memory_order_acquire) < mine) {
        }
        whole_sink = part(i);
        done.fetch_add(1, std::memory_order_release);
      }
    });
  }
  const auto read_all = [&](int mine) {
    round.store(mine, std::memory_order_release);
    whole_sink = part(0);
    while (done.load(std::memory_order_acquire) < mine * (threads - 1)) {
    }
  };
  read_all(1);
  const double seconds = seconds_of([&] { read_all(2); });
  for (std::thread &other : others) other.join();
  return seconds;
}

double seconds_of_plain_loop(int64_t queries, int64_t keys, int64_t size, int64_t value_size) {
  const auto floats = [](int64_t count) { return Floats(static_cast<std::size_t>(count)); };
  Floats query = floats(size);
  Floats key = floats(keys * size);
  Floats value = floats(keys * value_size);
  Floats scores = floats(keys);
  query.fill(3);
  key.fill(4);
  value.fill(5);
  std::vector<float> out(static_cast<std::size_t>(value_size));
  return seconds_of([&] {
    for (int64_t i = 0; i < queries; ++i) {
      const int64_t seen = keys - queries + i + 1;
      float largest = -INFINITY;
      for (int64_t j = 0; j < seen; ++j) {
        float score = 0;
        for (int64_t d = 0; d < size; ++d) score += query.data()[d] * key.data()[j * size + d];
        scores.data()[j] = score;
        largest = std::max(largest, score);
      }
      float sum = 0;
      std::fill(out.begin(), out.end(), 0.0f);
      for (int64_t j = 0; j < seen; ++j) {
        const float weight = std::exp(scores.data()[j] - largest);
        sum += weight;
        for (int64_t d = 0; d < value_size; ++d)
          out[static_cast<std::size_t>(d)] += weight * value.data()[j * value_size + d];
      }
      sink = out[0] / sum;
    }
  });
}

}  // namespace bkr::bench
