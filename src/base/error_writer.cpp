// SPDX-License-Identifier: Apache-2.0
#include "base/error_writer.h"

#include <cstring>
#include <initializer_list>
#include <string_view>

#include "base/text.h"

namespace bkr::core {

namespace {

// Puts texts one behind the other into the caller's buffer, as far as they fit.
class Message {
 public:
  explicit Message(bkr_error &error) : error_(error), room_(error.msg && error.msg_cap > 0 ? error.msg_cap - 1 : 0) {
    error_.msg_len = 0;
    if (error_.msg && error_.msg_cap > 0) error_.msg[0] = '\0';
  }
  void add(std::string_view text) noexcept {
    const std::size_t keep = utf8_prefix(text, room_);
    if (keep > 0) {
      std::memcpy(error_.msg + error_.msg_len, text.data(), keep);
      error_.msg[error_.msg_len + keep] = '\0';
    }
    room_ = keep < text.size() ? 0 : room_ - keep;  // nothing behind what was cut
    error_.msg_len += static_cast<uint32_t>(text.size());
  }

 private:
  bkr_error &error_;
  std::size_t room_;
};

void write(bkr_error *error, const Failure &failure, std::initializer_list<std::string_view> texts) noexcept {
  if (!error) return;
  error->code = failure.status;
  error->native_code = failure.native_code;
  error->stage = failure.stage;
  Message message(*error);
  for (const std::string_view text : texts) message.add(text);
}

}  // namespace

void write_error(bkr_error *error, const Failure &failure) noexcept {
  const std::string_view reason =
      failure.reason.empty() ? status_name(failure.status) : std::string_view(failure.reason);
  write(error, failure, {reason, failure.next.empty() ? "" : "\n", failure.next});
}

void write_out_of_memory(bkr_error *error) noexcept {
  write(error, {BKR_OUT_OF_MEMORY, BKR_STAGE_NONE, {}, {}, 0},
        {"BKR_OUT_OF_MEMORY: there was no memory for this; nothing was changed."});
}

void write_defect(bkr_error *error, const char *exception) noexcept {
  write(error, {BKR_INTERNAL, BKR_STAGE_NONE, {}, {}, 0},
        {"An exception ended the call: ", exception, ".\nThis is a defect in libbackend_registry; please report it."});
}

}  // namespace bkr::core
