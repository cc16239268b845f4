// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_DESCRIBE_JSON_WRITER_H
#define BKR_DESCRIBE_JSON_WRITER_H

#include <cstdint>
#include <string>
#include <string_view>

namespace bkr::core {

// Writes a JSON document from its beginning to its end, keys in the order in which they come, indented by two. (Not a
// tree of values: the library for those allocates in its destructors, and ends the process when there is no memory.)
class JsonWriter {
 public:
  JsonWriter &key(std::string_view name);  // of the value that comes next

  void string(std::string_view text);  // bytes that are not UTF-8 become U+FFFD
  void string_or_null(std::string_view text);
  void number(int64_t value);
  void number(uint64_t value);
  void boolean(bool value);
  void null();

  // `write()` writes what is inside.
  template <class Write>
  void object(const Write &write) {
    open('{');
    write();
    close('}');
  }
  template <class Write>
  void array(const Write &write) {
    open('[');
    write();
    close(']');
  }

  std::string take() { return std::move(text_); }

 private:
  void begin_value();
  void begin_line();
  void open(char bracket);
  void close(char bracket);
  void quote(std::string_view text);
  void raw(std::string_view text);

  std::string text_;
  std::size_t depth_ = 0;
  bool is_first_ = true;  // inside of what is open now
  bool after_key_ = false;
};

}  // namespace bkr::core

#endif  // BKR_DESCRIBE_JSON_WRITER_H
