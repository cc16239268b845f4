// SPDX-License-Identifier: Apache-2.0
#include "describe/json_writer.h"

#include "base/text.h"

namespace bkr::core {

void JsonWriter::begin_line() {
  text_ += '\n';
  text_.append(2 * depth_, ' ');
}

void JsonWriter::begin_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (depth_ == 0) return;
  if (!is_first_) text_ += ',';
  is_first_ = false;
  begin_line();
}

JsonWriter &JsonWriter::key(std::string_view name) {
  begin_value();
  quote(name);
  text_ += ": ";
  after_key_ = true;
  return *this;
}

void JsonWriter::open(char bracket) {
  begin_value();
  text_ += bracket;
  ++depth_;
  is_first_ = true;
}

void JsonWriter::close(char bracket) {
  --depth_;
  if (!is_first_) begin_line();
  text_ += bracket;
  is_first_ = false;
}

void JsonWriter::raw(std::string_view text) {
  begin_value();
  text_ += text;
}

void JsonWriter::string(std::string_view text) {
  begin_value();
  quote(text);
}

void JsonWriter::string_or_null(std::string_view text) { text.empty() ? null() : string(text); }
void JsonWriter::number(int64_t value) { raw(std::to_string(value)); }
void JsonWriter::number(uint64_t value) { raw(std::to_string(value)); }
void JsonWriter::boolean(bool value) { raw(value ? "true" : "false"); }
void JsonWriter::null() { raw("null"); }

void JsonWriter::quote(std::string_view text) {
  text_ += '"';
  while (!text.empty()) {
    const std::size_t length = utf8_sequence(text);
    const char c = text.front();
    if (length == 0) {
      text_ += "\xEF\xBF\xBD";
    } else if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      text_ += c == '\n' ? std::string("\\n") : cat("\\u00", hex({&c, 1}));
    } else {
      text_ += text.substr(0, length);
    }
    text.remove_prefix(length > 0 ? length : 1);
  }
  text_ += '"';
}

}  // namespace bkr::core
