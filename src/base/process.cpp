// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include <algorithm>
#include <thread>

#if defined(_WIN32)
#include <process.h>
#else
#include <unistd.h>
#endif
#if defined(__linux__)
#include <sched.h>
#include <sys/auxv.h>
#endif

namespace bkr::core {

int64_t process_id() noexcept {
#if defined(_WIN32)
  return _getpid();
#else
  return getpid();
#endif
}

bool is_elevated() noexcept {
#if defined(__linux__)
  return getauxval(AT_SECURE) != 0;
#elif defined(_WIN32)
  return false;
#else
  return issetugid() != 0;
#endif
}

uint32_t usable_cpus() noexcept {
#if defined(__linux__)
  // Not what the machine has, but what the process was given (taskset, containers).
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return static_cast<uint32_t>(std::max(1, CPU_COUNT(&set)));
#endif
  return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace bkr::core
