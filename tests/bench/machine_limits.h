// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_BENCH_MACHINE_LIMITS_H
#define BKR_TESTS_BENCH_MACHINE_LIMITS_H

// What the machine can do at most, for kernels to be measured against, and what plain loops make of the same work.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace bkr::bench {

// Two, or BKR_NUM_THREADS.
int thread_count();

// Seconds of a clock; with one thread those that it has had a CPU, so that others on the machine do not count.
double now();

template <class Fn>
double seconds_of(Fn &&fn) {
  const double start = now();
  fn();
  return now() - start;
}

// Floats of a size that is known at run time only, not cleared: pages are touched by who fills them.
class Floats {
 public:
  explicit Floats(std::size_t count) : memory_(new float[count]), count_(count) {}
  float *data() const { return memory_.get(); }
  std::size_t size() const { return count_; }
  void fill(uint32_t seed);

 private:
  std::unique_ptr<float[]> memory_;
  std::size_t count_;
};

// A product of two square matrices of 2,048 rows by oneDNN, on the same threads and CPU level as the plugins.
class Product {
 public:
  static constexpr int64_t kRows = 2048;
  static constexpr double kOperations = 2.0 * kRows * kRows * kRows;

  Product();
  static bool available();  // whether the benchmark was built with oneDNN
  double seconds();         // of one product

 private:
  Floats a_, b_, c_;
};

// Reads `bytes` bytes at `data` (a multiple of 64) and does nothing with them but a sum, each thread its part.
double seconds_of_reading(const void *data, std::size_t bytes);

// Attention of one head in plain loops of float32, one thread: `queries` rows on `keys` rows, the last query sees all
// keys, each one before it one less.
double seconds_of_plain_loop(int64_t queries, int64_t keys, int64_t size, int64_t value_size);

}  // namespace bkr::bench

#endif  // BKR_TESTS_BENCH_MACHINE_LIMITS_H
