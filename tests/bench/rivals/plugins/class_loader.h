// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_BENCH_RIVALS_CLASS_LOADER_H
#define BKR_TESTS_BENCH_RIVALS_CLASS_LOADER_H

namespace rivals {

// What class_loader's plugin derives from. Defined here alone, so that both sides have it.
class __attribute__((visibility("default"))) Base {
 public:
  virtual ~Base() = default;
};

}  // namespace rivals

#endif  // BKR_TESTS_BENCH_RIVALS_CLASS_LOADER_H
