// SPDX-License-Identifier: Apache-2.0
#include "base/error_writer.h"

#include <cstring>

#include "base/text.h"

namespace bkr::core {

void write_error(bkr_error *error, const Failure &failure) noexcept {
  if (!error) return;
  error->code = failure.status;
  error->native_code = failure.native_code;
  error->stage = failure.stage;

  // Where there is no memory for a text there is still one for the name of the status.
  std::string text;
  std::string_view message = status_name(failure.status);
  try {
    text = failure.text();
    if (!text.empty()) message = text;
  } catch (...) {
  }
  error->msg_len = static_cast<uint32_t>(message.size());
  if (!error->msg || error->msg_cap == 0) return;
  const std::size_t keep = utf8_prefix(message, error->msg_cap - 1);
  std::memcpy(error->msg, message.data(), keep);
  error->msg[keep] = '\0';
}

}  // namespace bkr::core
