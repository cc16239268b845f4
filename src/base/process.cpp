// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#if defined(_WIN32)
#include <process.h>
#else
#include <unistd.h>
#endif
#if defined(__linux__)
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

}  // namespace bkr::core
