// SPDX-License-Identifier: Apache-2.0
#include "discover/cpu.h"

#include <cstdint>
#include <initializer_list>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(_M_X64)
#include <immintrin.h>
#include <intrin.h>
#endif

#include "base/process_wide.h"

namespace bkr::core {

namespace {

#if defined(__x86_64__) || defined(_M_X64)

struct Registers {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Registers cpuid(uint32_t leaf) {
  Registers r;
#if defined(__x86_64__)
  __get_cpuid_count(leaf, 0, &r.eax, &r.ebx, &r.ecx, &r.edx);
#else
  int values[4] = {};
  __cpuid(values, static_cast<int>(leaf & 0x80000000u));
  if (static_cast<uint32_t>(values[0]) < leaf) return r;
  __cpuidex(values, static_cast<int>(leaf), 0);
  r = {static_cast<uint32_t>(values[0]), static_cast<uint32_t>(values[1]), static_cast<uint32_t>(values[2]),
       static_cast<uint32_t>(values[3])};
#endif
  return r;
}

// Which registers the system saves when it switches threads. Only with OSXSAVE.
uint64_t saved_state() {
#if defined(__x86_64__)
  uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<uint64_t>(high) << 32) | low;
#else
  return _xgetbv(0);
#endif
}

constexpr uint32_t bits(std::initializer_list<int> positions) {
  uint32_t mask = 0;
  for (const int position : positions) mask |= 1u << position;
  return mask;
}

constexpr bool all(uint32_t value, uint32_t mask) { return (value & mask) == mask; }

std::vector<std::string> detect() {
  std::vector<std::string> levels = {"x86-64"};
  const Registers basic = cpuid(1);
  const Registers more = cpuid(7);
  const Registers extended = cpuid(0x80000001u);

  // SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT; LAHF/SAHF
  if (!all(basic.ecx, bits({0, 9, 13, 19, 20, 23})) || !all(extended.ecx, bits({0}))) return levels;
  levels.emplace_back("x86-64-v2");

  // FMA, MOVBE, OSXSAVE, AVX, F16C; BMI1, AVX2, BMI2; LZCNT; and the system saves SSE and AVX registers
  if (!all(basic.ecx, bits({12, 22, 27, 28, 29})) || !all(more.ebx, bits({3, 5, 8})) || !all(extended.ecx, bits({5}))) {
    return levels;
  }
  const uint64_t saved = saved_state();
  if ((saved & 0x06u) != 0x06u) return levels;
  levels.emplace_back("x86-64-v3");

  // AVX-512 F, DQ, CD, BW, VL; and the system saves the mask registers and both halves of the wide ones
  if (!all(more.ebx, bits({16, 17, 28, 30, 31})) || (saved & 0xe0u) != 0xe0u) return levels;
  levels.emplace_back("x86-64-v4");
  return levels;
}

#else

std::vector<std::string> detect() { return {}; }

#endif

}  // namespace

const std::vector<std::string> &cpu_levels() {
  static constinit ProcessWide<const std::vector<std::string>> levels;
  return levels.get(detect);
}

}  // namespace bkr::core
