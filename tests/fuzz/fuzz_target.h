// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_FUZZ_FUZZ_TARGET_H
#define BKR_TESTS_FUZZ_FUZZ_TARGET_H

#include <cstddef>
#include <cstdint>

// What each target defines: takes any bytes, aborts at a broken promise, returns 0. The name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, std::size_t size);

#endif  // BKR_TESTS_FUZZ_FUZZ_TARGET_H
