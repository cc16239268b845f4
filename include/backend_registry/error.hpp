// SPDX-License-Identifier: Apache-2.0
#ifndef BACKEND_REGISTRY_ERROR_HPP
#define BACKEND_REGISTRY_ERROR_HPP

// A failure in C++: bkr::error. Hosts catch it, authors of plugins throw it; over the boundary between the two it
// travels as a bkr_status and a bkr_error. C++17; needs nothing of the library.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

#include "status.h"

namespace bkr {

// What a failing call throws. what() is the text for people: what was asked, what was found, what to do next.
class error : public std::runtime_error {
 public:
  // status: a BKR_… other than BKR_OK. stage: the BKR_STAGE_… that failed. native_code: errno or GetLastError().
  explicit error(bkr_status status, const std::string &text, int32_t stage = BKR_STAGE_NONE, int32_t native_code = 0)
      : std::runtime_error(text), status_(status), stage_(stage), native_code_(native_code) {}

  bkr_status status() const noexcept { return status_; }
  int32_t stage() const noexcept { return stage_; }
  int32_t native_code() const noexcept { return native_code_; }

 private:
  bkr_status status_;
  int32_t stage_;
  int32_t native_code_;
};

// Writes a failure where a caller in C wants it: the pieces of the text one after the other, cut on a character's
// boundary if the caller's buffer is too small; msg_len counts the whole. target may be NULL. Returns status, so
// that `return bkr::write_error(error, BKR_UNSUPPORTED, {"no ", what})` ends a function.
inline bkr_status write_error(bkr_error *target, bkr_status status, std::initializer_list<std::string_view> pieces,
                              int32_t stage = BKR_STAGE_NONE, int32_t native_code = 0) noexcept {
  if (target == nullptr || target->struct_size < sizeof(bkr_error)) return status;
  target->code = status;
  target->native_code = native_code;
  target->stage = stage;

  const bool writes = target->msg != nullptr && target->msg_cap > 0;
  const std::size_t room = writes ? target->msg_cap - 1 : 0;
  const auto continues = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u; };
  std::size_t whole = 0;  // bytes of the text
  std::size_t kept = 0;   // of them written
  bool inside = false;    // the first byte that did not fit is not the first of its character
  for (const std::string_view piece : pieces) {
    const std::size_t fits = std::min(piece.size(), room - kept);
    if (whole == kept && fits > 0) {
      std::memcpy(target->msg + kept, piece.data(), fits);
      kept += fits;
      inside = fits < piece.size() && continues(piece[fits]);
    } else if (whole == kept && !piece.empty()) {
      inside = continues(piece.front());
    }
    whole += piece.size();
  }
  if (writes) {
    if (inside) {  // take the half character back: its continuation bytes (at most 3), then its first
      std::size_t cut = kept;
      while (cut > 0 && kept - cut < 3 && continues(target->msg[cut - 1])) --cut;
      if (cut > 0) --cut;
      kept = cut;
    }
    target->msg[kept] = '\0';
  }
  target->msg_len = static_cast<uint32_t>(std::min<std::size_t>(whole, std::numeric_limits<uint32_t>::max()));
  return status;
}

}  // namespace bkr

#endif  // BACKEND_REGISTRY_ERROR_HPP
