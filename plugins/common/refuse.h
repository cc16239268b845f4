// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_COMMON_REFUSE_H
#define CPU_COMMON_REFUSE_H

#include <backend_registry/error.hpp>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace cpu {

inline void append(std::string &to, std::string_view part) { to += part; }
inline void append(std::string &to, std::integral auto number) { to += std::to_string(number); }
inline void append(std::string &to, std::floating_point auto number) { to += std::to_string(number); }

// Ends the call with BKR_INVALID_ARGUMENT and a text made of texts and numbers, one after the other.
template <class... Parts>
[[noreturn]] void refuse(const Parts &...parts) {
  std::string text;
  (append(text, parts), ...);
  throw bkr::error(BKR_INVALID_ARGUMENT, text);
}

inline void check_zero(const char *field, int64_t value) {
  if (value != 0) refuse(field, " is ", value, "; it must be 0");
}

inline void expect_no_stream(const void *stream) {
  if (stream != nullptr) refuse("stream is not NULL; there are none on a CPU");
}

}  // namespace cpu

#endif  // CPU_COMMON_REFUSE_H
