// SPDX-License-Identifier: Apache-2.0
// The parser of descriptors: what it accepts is what the bytes say, field by field.
#include <backend_registry/descriptor.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "budget.h"
#include "discover/descriptor.h"
#include "discover/plugin_file.h"
#include "fuzz_target.h"
#include "require.h"
#include "sound_failure.h"
#include "text_reference.h"

namespace bkr::core::fuzzing {
namespace {

template <class T>
T number(std::string_view bytes, std::size_t at) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value = static_cast<T>(value | static_cast<T>(static_cast<T>(static_cast<uint8_t>(bytes.at(at + i))) << (8 * i)));
  }
  return value;
}

void require_text(std::string_view bytes, std::size_t at, std::size_t size, std::string_view text, const char *name) {
  const std::string_view field = bytes.substr(at, size);
  require(field.size() == size && text.size() < size && field.starts_with(text), name, " is not in its field");
  require(text.find('\0') == text.npos, name, " has a NUL inside");
  require(field.find_first_not_of('\0', text.size()) == text.npos, name, " has bytes behind it");
  require(plainly_utf8(text), name, " is not UTF-8");
}

#define REQUIRE_TEXT(object, type, base, field) \
  require_text(bytes, (base) + offsetof(type, field), sizeof(type::field), object.field, #field)

void require_header(std::string_view bytes, const Descriptor &descriptor) {
  constexpr uint8_t magic[] = BKR_DESCRIPTOR_MAGIC;
  require(std::memcmp(bytes.data(), magic, sizeof magic) == 0, "another magic was accepted");
  REQUIRE_TEXT(descriptor, bkr_descriptor_header, 0, plugin_id);
  REQUIRE_TEXT(descriptor, bkr_descriptor_header, 0, version);
  require(!descriptor.plugin_id.empty(), "a plugin without an id was accepted");
  require(descriptor.abi_major == number<uint16_t>(bytes, 24) && descriptor.abi_major != 0, "abi_major is wrong");
  require(descriptor.abi_minor_min == number<uint16_t>(bytes, 26), "abi_minor_min is wrong");
  require(descriptor.abi_minor == number<uint16_t>(bytes, 28), "abi_minor is wrong");
  require(descriptor.format == number<uint16_t>(bytes, 30) && descriptor.format != 0, "format is wrong");
  require(descriptor.flags == number<uint32_t>(bytes, 32), "flags are wrong");
}

void require_record(std::string_view bytes, std::size_t base, const Record &record) {
  REQUIRE_TEXT(record, bkr_descriptor_record, base, family);
  REQUIRE_TEXT(record, bkr_descriptor_record, base, name);
  REQUIRE_TEXT(record, bkr_descriptor_record, base, path);
  REQUIRE_TEXT(record, bkr_descriptor_record, base, symbol);
  REQUIRE_TEXT(record, bkr_descriptor_record, base, interface_id);
  REQUIRE_TEXT(record, bkr_descriptor_record, base, cpu_level);
  for (const std::string &name : {record.family, record.name, record.symbol}) {
    require(plainly_identifier(name), "'", name, "' is no identifier");
  }
  require(!record.path.empty(), "a record without a path was accepted");
  require(record.priority == static_cast<int32_t>(number<uint32_t>(bytes, base + 448)), "priority is wrong");
  require(record.flags == number<uint32_t>(bytes, base + 452), "flags are wrong");
}

void require_zeros(std::string_view bytes, std::size_t at, std::size_t size) {
  require(bytes.substr(at, size).find_first_not_of('\0') == bytes.npos, "format 1 with bytes in `zero` was accepted");
}

// Format 1 has zeros at the end of the header and of each record.
void require_accepted(std::string_view bytes, const Descriptor &descriptor) {
  const std::size_t header_size = number<uint32_t>(bytes, 8), record_size = number<uint32_t>(bytes, 12);
  const std::size_t count = number<uint32_t>(bytes, 16), total = number<uint32_t>(bytes, 20);
  require(header_size >= 256 && record_size >= 512, "structs that are too small were accepted");
  require(count >= 1 && count <= BKR_DESCRIPTOR_MAX_RECORDS, "a count out of range was accepted");
  // Another major number is refused by that number, however far its records could be read.
  const std::size_t read = descriptor.records.size();
  require(descriptor.abi_major == BKR_ABI_MAJOR ? read == count : read <= count, "wrong count");
  require(total == header_size + count * record_size && total <= bytes.size(), "records beyond the end");
  require_header(bytes, descriptor);
  if (descriptor.format == 1) require_zeros(bytes, 164, 92);
  for (std::size_t i = 0; i < read; ++i) {
    const std::size_t base = header_size + i * record_size;
    require_record(bytes, base, descriptor.records[i]);
    if (descriptor.format == 1) require_zeros(bytes, base + 456, 56);
  }
}

Result<Descriptor> parse(std::string_view bytes) {
  Descriptor descriptor;
  Result<void> parsed = parse_descriptor(std::as_bytes(std::span(bytes)), descriptor);
  if (!parsed) return fail(std::move(parsed.error()));
  return descriptor;
}

void run(std::string_view bytes) {
  const Budget budget(2 * bytes.size() + 4096);
  const Result<Descriptor> parsed = parse(bytes);
  budget.require_kept("parsing a descriptor");
  if (!parsed) {
    require_sound(parsed.error());
    require(parsed.error().status == BKR_BAD_DESCRIPTOR && parsed.error().stage == BKR_STAGE_DESCRIPTOR,
            "another status than BKR_BAD_DESCRIPTOR: ", status_name(parsed.error().status));
    require(plainly_utf8(parsed.error().reason), "a reason that is not UTF-8: ", parsed.error().reason);
    return;
  }
  require_accepted(bytes, *parsed);
  // What lies behind it is nobody's, and none of it can be missing.
  const std::size_t total = number<uint32_t>(bytes, 20);
  require(parse(bytes.substr(0, total)).has_value(), "it needs bytes behind its end");
  require(!parse(bytes.substr(0, total - 1)), "it was accepted without its last byte");

  for (const Record &record : parsed->records) {
    const Result<void> met = check_cpu_level(record.cpu_level);
    if (!met) require_sound(met.error());
    const int rank = cpu_level_rank(record.cpu_level);
    require(rank >= 0 && rank <= 9, "a CPU level's rank is ", rank);
  }
}

}  // namespace
}  // namespace bkr::core::fuzzing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, std::size_t size) {
  bkr::core::fuzzing::run({reinterpret_cast<const char *>(data), size});
  return 0;
}
