// SPDX-License-Identifier: Apache-2.0
#include "describe/document.h"

#include "base/text.h"

namespace bkr::core {

void set_path(Document &document, const char *key, std::string_view path) {
  document[key] = path;
  if (is_utf8(path)) return;
  constexpr char digits[] = "0123456789abcdef";
  std::string hex;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    hex += digits[byte >> 4];
    hex += digits[byte & 15];
  }
  document[cat(key, "_bytes")] = hex;
}

void set_failure(Document &document, const Failure *failure) {
  document["status"] = status_name(failure ? failure->status : BKR_OK);
  document["reason"] = failure ? Document(failure->reason) : Document(nullptr);
  document["next"] = failure && !failure->next.empty() ? Document(failure->next) : Document(nullptr);
}

std::string to_text(const Document &document) {
  return document.dump(2, ' ', false, Document::error_handler_t::replace);
}

}  // namespace bkr::core
