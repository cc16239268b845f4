// SPDX-License-Identifier: Apache-2.0
#include "discover/descriptor.h"

#include <backend_registry/descriptor.h>

#include <cstddef>
#include <cstring>

#include "base/text.h"
#include "discover/byte_view.h"

namespace bkr::core {

namespace {

constexpr uint8_t kMagic[8] = BKR_DESCRIPTOR_MAGIC;
constexpr std::size_t kHeaderSize = sizeof(bkr_descriptor_header);
constexpr std::size_t kRecordSize = sizeof(bkr_descriptor_record);

enum class Text { any, filled, identifier };

// Each byte equals the next, and the first is zero: one memcmp() instead of a loop over every field of every record.
bool all_zero(std::string_view bytes) noexcept {
  return bytes.empty() || (bytes.front() == '\0' && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

// Takes texts out of a header or record, and remembers the first thing that is wrong with one.
class FieldReader {
 public:
  // `record` counts from 1; 0 is the header.
  FieldReader(ByteView bytes, std::size_t base, uint64_t record) : bytes_(bytes), base_(base), record_(record) {}

  void text(std::string &to, const char *name, std::size_t at, std::size_t size, Text kind) {
    const std::string_view field = bytes_.text(base_ + at, size);
    const auto *end = static_cast<const char *>(std::memchr(field.data(), '\0', field.size()));
    if (!end) return complain(name, "does not end inside its field");
    const std::string_view value(field.data(), static_cast<std::size_t>(end - field.data()));
    to.assign(value.data(), value.size());
    if (!all_zero({end, field.size() - value.size()})) {
      complain(name, "is followed by other bytes than zeros");
    } else if (kind == Text::identifier && is_identifier(value)) {
      // As it should be.
    } else if (!is_utf8(value)) {
      complain(name, "is not UTF-8");
    } else if (kind != Text::any && value.empty()) {
      complain(name, "is empty");
    } else if (kind == Text::identifier) {
      complain(name, cat("is '", value, "', which is not an identifier"));
    }
  }

  void zeros(std::size_t at, std::size_t size) {
    if (!all_zero(bytes_.text(base_ + at, size))) {
      complain("zero", cat("is not zero, as format ", BKR_DESCRIPTOR_FORMAT, " asks"));
    }
  }

  const std::string &fault() const noexcept { return fault_; }

 private:
  void complain(const char *name, std::string_view what) {
    if (!fault_.empty()) return;
    fault_ = cat(record_ == 0 ? std::string("header") : cat("record ", record_), ": ", name, " ", what);
  }

  ByteView bytes_;
  std::size_t base_;
  uint64_t record_;
  std::string fault_;
};

tl::unexpected<Failure> unsound(std::string_view what) {
  return fail(Failure{BKR_BAD_DESCRIPTOR, BKR_STAGE_DESCRIPTOR, cat("its descriptor is not sound: ", what),
                      "Make the descriptor with BKR_PLUGIN of backend_registry/descriptor.h, or get the file anew.",
                      0});
}

}  // namespace

#define BKR_HEADER(field) offsetof(bkr_descriptor_header, field)
#define BKR_RECORD(field) offsetof(bkr_descriptor_record, field)
#define BKR_TEXT(reader, to, type, field, kind) \
  reader.text(to.field, #field, offsetof(type, field), sizeof(type::field), Text::kind)

Result<void> parse_descriptor(std::span<const std::byte> bytes, Descriptor &descriptor) {
  const ByteView view(bytes, std::endian::little);
  if (bytes.size() < kHeaderSize) {
    return unsound(cat("it has ", bytes.size(), " bytes, its header alone needs ", kHeaderSize));
  }
  if (std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0) return unsound("magic is not that of a descriptor");

  const uint64_t header_size = view.u32(BKR_HEADER(header_size));
  const uint64_t record_size = view.u32(BKR_HEADER(record_size));
  const uint64_t record_count = view.u32(BKR_HEADER(record_count));
  const uint64_t total_size = view.u32(BKR_HEADER(total_size));
  if (header_size < kHeaderSize) return unsound(cat("header_size is ", header_size, ", at least 256 is needed"));
  if (record_size < kRecordSize) return unsound(cat("record_size is ", record_size, ", at least 512 is needed"));
  if (record_count < 1 || record_count > BKR_DESCRIPTOR_MAX_RECORDS) {
    return unsound(cat("record_count is ", record_count, ", 1 to ", BKR_DESCRIPTOR_MAX_RECORDS, " are allowed"));
  }
  // 32-bit factors in 64 bits: cannot overflow.
  if (total_size != header_size + record_count * record_size) {
    return unsound(cat("total_size is ", total_size, ", the header and ", record_count,
                       record_count == 1 ? " record" : " records", " make ", header_size + record_count * record_size));
  }
  if (total_size > bytes.size()) {
    return unsound(cat("total_size is ", total_size, ", but there are ", bytes.size(), " bytes"));
  }

  descriptor.abi_major = view.u16(BKR_HEADER(abi_major));
  descriptor.abi_minor_min = view.u16(BKR_HEADER(abi_minor_min));
  descriptor.abi_minor = view.u16(BKR_HEADER(abi_minor));
  descriptor.format = view.u16(BKR_HEADER(format));
  descriptor.flags = view.u32(BKR_HEADER(flags));
  if (descriptor.abi_major == 0) return unsound("abi_major is 0");
  if (descriptor.format == 0) return unsound("format is 0");

  FieldReader header(view, 0, 0);
  BKR_TEXT(header, descriptor, bkr_descriptor_header, plugin_id, filled);
  BKR_TEXT(header, descriptor, bkr_descriptor_header, version, any);
  // A later format may have put something there; format 1 has not.
  const bool plain = descriptor.format == BKR_DESCRIPTOR_FORMAT;
  if (plain) header.zeros(BKR_HEADER(zero), sizeof(bkr_descriptor_header::zero));
  if (!header.fault().empty()) return unsound(header.fault());

  descriptor.records.reserve(static_cast<std::size_t>(record_count));
  for (uint64_t i = 0; i < record_count; ++i) {
    const auto base = static_cast<std::size_t>(header_size + i * record_size);
    FieldReader reader(view, base, i + 1);
    Record &record = descriptor.records.emplace_back();
    BKR_TEXT(reader, record, bkr_descriptor_record, family, identifier);
    BKR_TEXT(reader, record, bkr_descriptor_record, name, identifier);
    BKR_TEXT(reader, record, bkr_descriptor_record, path, filled);
    BKR_TEXT(reader, record, bkr_descriptor_record, symbol, identifier);
    BKR_TEXT(reader, record, bkr_descriptor_record, interface_id, any);
    BKR_TEXT(reader, record, bkr_descriptor_record, cpu_level, any);
    record.priority = static_cast<int32_t>(view.u32(base + BKR_RECORD(priority)));
    record.flags = view.u32(base + BKR_RECORD(flags));
    if (plain) reader.zeros(BKR_RECORD(zero), sizeof(bkr_descriptor_record::zero));
    if (!reader.fault().empty()) {
      // What another major number makes of its records is nothing to judge: it is refused by that number.
      if (descriptor.abi_major == BKR_ABI_MAJOR) return unsound(reader.fault());
      descriptor.records.pop_back();
      break;
    }
  }
  return {};
}

}  // namespace bkr::core
