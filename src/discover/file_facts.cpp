// SPDX-License-Identifier: Apache-2.0
#include "discover/file_facts.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/always_inline.h"

namespace bkr::core {

void read_facts(const FileReader &reader, FileFacts &facts) {
  read_image(reader, facts.image);
  if (facts.image.descriptor) {
    Result<void> parsed = parse_descriptor(*facts.image.descriptor, facts.descriptor.emplace());
    if (!parsed) {
      facts.descriptor.reset();
      if (!facts.image.failure) facts.image.failure = std::move(parsed.error());
    }
    facts.image.descriptor.reset();
  }
}

namespace {

// Both walk through the same fields in the same order: see fields_of().
class Encoder {
 public:
  template <class T>
  void operator()(const T &number) requires std::is_arithmetic_v<T> {
    bytes_.append(reinterpret_cast<const char *>(&number), sizeof number);
  }
  void operator()(const std::string &text) {
    (*this)(static_cast<uint32_t>(text.size()));
    bytes_ += text;
  }
  template <class T>
  void operator()(const std::vector<T> &list) {
    (*this)(static_cast<uint32_t>(list.size()));
    for (const T &item : list) fields_of(*this, item);
  }
  template <class T>
  void operator()(const std::optional<T> &may_be) {
    (*this)(static_cast<uint8_t>(may_be ? 1 : 0));
    if (may_be) fields_of(*this, *may_be);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : left_(bytes) {}

  template <class T>
  BKR_ALWAYS_INLINE void operator()(T &number) requires std::is_arithmetic_v<T> {
    if (const char *bytes = next(sizeof number)) std::memcpy(&number, bytes, sizeof number);
  }
  void operator()(bool &flag) {
    uint8_t byte = 0;
    (*this)(byte);
    if (byte > 1) broken_ = true;
    flag = byte == 1;
  }
  void operator()(std::string &text) {
    uint32_t size = 0;
    (*this)(size);
    if (const char *bytes = next(size)) text.assign(bytes, size);
  }
  template <class T>
  void operator()(std::vector<T> &list) {
    uint32_t count = 0;
    (*this)(count);
    // The count is not believed: each item takes bytes that are there, or ends the reading.
    list.reserve(std::min<std::size_t>(count, left_.size() / kLeastItem));
    for (uint32_t i = 0; i < count && !broken_; ++i) fields_of(*this, list.emplace_back());
  }
  template <class T>
  void operator()(std::optional<T> &may_be) {
    bool is_there = false;
    (*this)(is_there);
    if (is_there && !broken_) fields_of(*this, may_be.emplace());
  }
  bool took_all() const { return !broken_ && left_.empty(); }

 private:
  // Null for no bytes, and for more than there are.
  BKR_ALWAYS_INLINE const char *next(std::size_t size) {
    if (size > left_.size()) {
      broken_ = true;
      left_ = {};
    }
    if (size == 0 || broken_) return nullptr;
    left_.remove_prefix(size);
    return left_.data() - size;
  }

  static constexpr std::size_t kLeastItem = 4;  // an empty text
  std::string_view left_;
  bool broken_ = false;
};

template <class T, class As>
concept Is = std::is_same_v<std::remove_const_t<T>, As>;

template <class Codec, Is<std::string> T>
void fields_of(Codec &codec, T &text) {
  codec(text);
}

template <class Codec, Is<Failure> T>
void fields_of(Codec &codec, T &failure) {
  codec(failure.status), codec(failure.stage), codec(failure.reason), codec(failure.next), codec(failure.native_code);
}

template <class Codec, Is<Record> T>
void fields_of(Codec &codec, T &record) {
  codec(record.family), codec(record.name), codec(record.path), codec(record.symbol), codec(record.interface_id),
      codec(record.cpu_level), codec(record.priority), codec(record.flags);
}

template <class Codec, Is<Descriptor> T>
void fields_of(Codec &codec, T &descriptor) {
  codec(descriptor.abi_major), codec(descriptor.abi_minor_min), codec(descriptor.abi_minor), codec(descriptor.format),
      codec(descriptor.flags), codec(descriptor.plugin_id), codec(descriptor.version), codec(descriptor.records);
}

template <class Codec, Is<FileFacts> T>
void fields_of(Codec &codec, T &facts) {
  codec(facts.image.format), codec(facts.image.machine), codec(facts.image.load_begin), codec(facts.image.load_end),
      codec(facts.image.needed), codec(facts.image.search_path), codec(facts.image.exports_create_backend),
      codec(facts.image.failure), codec(facts.descriptor);
}

// A failure that were none would be taken for success.
bool is_sound(const FileFacts &facts) {
  const std::optional<Failure> &failure = facts.image.failure;
  return !failure || (failure->status > BKR_OK && failure->status <= BKR_INTERNAL && failure->stage >= BKR_STAGE_OPEN &&
                      failure->stage <= BKR_STAGE_DESCRIPTOR);
}

}  // namespace

std::string encode(const FileFacts &facts) {
  Encoder encoder;
  fields_of(encoder, facts);
  return encoder.take();
}

bool decode(std::string_view bytes, FileFacts &facts) {
  Decoder decoder(bytes);
  fields_of(decoder, facts);
  if (decoder.took_all() && is_sound(facts)) return true;
  facts = {};
  return false;
}

}  // namespace bkr::core
