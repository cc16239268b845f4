// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "base/text.h"
#include "describe/describe.h"

namespace bkr::core {

Result<void> hand_over(std::string_view function, const std::string &text, char *buffer, std::size_t cap,
                       std::size_t *need) {
  const std::size_t size = text.size() + 1;
  if (need) *need = size;
  if (cap == 0) {
    if (need) return {};
    return fail(BKR_INVALID_ARGUMENT, cat(function, ": cap is 0, which asks for the size, but need is NULL."),
                "Give need, or a buffer and its cap.");
  }
  if (!buffer) {
    return fail(BKR_INVALID_ARGUMENT, cat(function, ": buffer is NULL, but cap is ", cap, "."),
                "Give a buffer of cap bytes, or cap 0 to ask for the size.");
  }
  if (cap < size) {
    return fail(BKR_BUFFER_TOO_SMALL,
                cat(function, ": the document has ", size, " bytes with its NUL; the buffer has ", cap, "."),
                "Ask for the size with cap 0, and again if the registry changed in between.");
  }
  std::memcpy(buffer, text.c_str(), size);
  return {};
}

}  // namespace bkr::core
