// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_BENCH_KERNEL_BENCH_H
#define BKR_TESTS_BENCH_KERNEL_BENCH_H

// What benchmarks of kernels have in common: a backend reached as a host reaches it, tensors, and what the machine can
// read.

#include <backend_registry/interfaces/attention.h>
#include <dlpack/dlpack.h>

#include <backend_registry/backend_registry.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace bkr::bench {

[[noreturn]] inline void give_up(const std::string &what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

// A float32 tensor, compact and row-major, of numbers from -1 to 1; or int32, of what it is given.
class Tensor {
 public:
  explicit Tensor(std::vector<int64_t> shape) : shape_(std::move(shape)) {
    std::size_t count = 1;
    for (const int64_t size : shape_) count *= static_cast<std::size_t>(size);
    numbers_.resize(count);
    uint32_t random = 12345;
    for (float &x : numbers_) {
      random = random * 1664525 + 1013904223;
      x = static_cast<float>(random >> 8) / 8388608.0f - 1.0f;
    }
    set_view(numbers_.data(), {kDLFloat, 32, 1});
  }
  explicit Tensor(std::vector<int32_t> whole) : shape_{static_cast<int64_t>(whole.size())}, whole_(std::move(whole)) {
    set_view(whole_.data(), {kDLInt, 32, 1});
  }
  Tensor(const Tensor &) = delete;
  Tensor &operator=(const Tensor &) = delete;

  const DLTensor *view() const { return &view_; }
  float *data() { return numbers_.data(); }
  const float *data() const { return numbers_.data(); }
  int64_t bytes() const { return static_cast<int64_t>(numbers_.size() * sizeof(float)); }

  // Every number becomes offset + factor * itself.
  Tensor &scale(float factor, float offset) {
    for (float &x : numbers_) x = offset + factor * x;
    return *this;
  }

 private:
  void set_view(void *data, DLDataType type) {
    view_ = {data, {kDLCPU, 0}, static_cast<int>(shape_.size()), type, shape_.data(), nullptr, 0};
  }

  std::vector<int64_t> shape_;
  std::vector<float> numbers_;
  std::vector<int32_t> whole_;
  DLTensor view_{};
};

// One registry for the program, with the plugins of the build beside the library.
inline registry &the_registry() {
  static auto *const made = new registry(registry::open());
  return *made;
}

inline bkr::backend make_backend(const std::string &family, const std::string &member) {
  bkr::backend made = the_registry().find_family(family).find_member(member).load().create();
  made.init();
  return made;
}

inline void expect_ok(bkr_status status, const char *text) {
  if (status != BKR_OK) give_up(std::string(bkr_status_name(status)) + ": " + text);
}

// Reads so many bytes once, and gives a number that depends on all of them.
inline float read_all(const std::vector<float> &memory) {
  float sums[64] = {};
  std::size_t i = 0;
  for (; i + 64 <= memory.size(); i += 64) {
    for (std::size_t lane = 0; lane < 64; ++lane) sums[lane] += memory[i + lane];
  }
  float total = 0.0f;
  for (const float sum : sums) total += sum;
  return total;
}

}  // namespace bkr::bench

#endif  // BKR_TESTS_BENCH_KERNEL_BENCH_H
