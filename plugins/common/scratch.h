// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_COMMON_SCRATCH_H
#define CPU_COMMON_SCRATCH_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace cpu {

// Memory that a backend keeps between calls, so that decoding one token does not pay for fresh pages each time.
// One call at a time.
class Scratch {
 public:
  // `count` floats at a cache line's start, with any content. What was given before is gone.
  float *floats(int64_t count) {
    if (count > capacity_) {
      memory_.reset();
      capacity_ = 0;
      memory_.reset(static_cast<float *>(
          ::operator new (static_cast<std::size_t>(count) * sizeof(float), std::align_val_t{kAlignment})));
      capacity_ = count;
    }
    return memory_.get();
  }

 private:
  static constexpr std::size_t kAlignment = 64;
  struct Free {
    void operator()(float *memory) const { ::operator delete (memory, std::align_val_t{kAlignment}); }
  };

  std::unique_ptr<float, Free> memory_;
  int64_t capacity_ = 0;
};

}  // namespace cpu

#endif  // CPU_COMMON_SCRATCH_H
