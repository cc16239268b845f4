// SPDX-License-Identifier: Apache-2.0
#include <backend_registry/descriptor.h>
#include <elf.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

#include "fixture.h"

namespace bkr::core::testing {
namespace {

bkr_descriptor_record sound_record() {
  return {"attention", "NAME", "a.b.C", "create_backend", "bkr.attention/1", "", 5, 0, {0}};
}

bkr_descriptor_header sound_header(uint32_t records) {
  return {BKR_DESCRIPTOR_MAGIC, 256, 512, records, 256 + records * 512, 1, 0, 0, 1, 0, "id", "1", {0}};
}

std::string bytes_of(const bkr_descriptor_header &header, const std::vector<bkr_descriptor_record> &records) {
  std::string bytes(reinterpret_cast<const char *>(&header), sizeof header);
  for (const auto &record : records) bytes.append(reinterpret_cast<const char *>(&record), sizeof record);
  return bytes;
}

Result<Descriptor> parse(const std::string &bytes) {
  Descriptor descriptor;
  Result<void> parsed = parse_descriptor(std::as_bytes(std::span(bytes.data(), bytes.size())), descriptor);
  if (!parsed) return fail(std::move(parsed.error()));
  return descriptor;
}

// A sound descriptor of one record, with something put over it.
template <class T>
void expect_refused(std::size_t at, T value, std::string_view words) {
  const auto parsed = parse(patched(bytes_of(sound_header(1), {sound_record()}), at, value));
  ASSERT_FALSE(parsed) << words;
  EXPECT_EQ(parsed.error().status, BKR_BAD_DESCRIPTOR);
  EXPECT_EQ(parsed.error().stage, BKR_STAGE_DESCRIPTOR);
  EXPECT_NE(parsed.error().reason.find(words), std::string::npos) << parsed.error().reason;
}

#define HEADER(field) offsetof(bkr_descriptor_header, field)
#define RECORD(field) (256 + offsetof(bkr_descriptor_record, field))

TEST(Descriptor, SoundOneIsParsed) {
  const auto parsed = parse(bytes_of(sound_header(2), {sound_record(), sound_record()}));

  ASSERT_TRUE(parsed) << parsed.error().reason;
  EXPECT_EQ(parsed->plugin_id, "id");
  ASSERT_EQ(parsed->records.size(), 2u);
  EXPECT_EQ(parsed->records[1].name, "NAME");
  EXPECT_EQ(parsed->records[1].priority, 5);
}

TEST(Case, F5_WrongMagic) {
  for (std::size_t at = 0; at < 8; ++at) expect_refused(at, '\x7e', "magic");
}

TEST(Case, F5_SizesThatOverlapOrOverflow) {
  expect_refused(HEADER(header_size), uint32_t{255}, "header_size is 255");
  expect_refused(HEADER(header_size), uint32_t{0xffffffff}, "total_size is 768");
  expect_refused(HEADER(record_size), uint32_t{511}, "record_size is 511");
  expect_refused(HEADER(record_size), uint32_t{0xffffff00}, "total_size is 768");
  expect_refused(HEADER(record_size), uint32_t{0}, "record_size is 0");
  expect_refused(HEADER(total_size), uint32_t{0}, "total_size is 0");
  expect_refused(HEADER(total_size), uint32_t{0xffffffff}, "total_size is 4294967295");
  // 256 + 2^23 * 512 is 256 again in 32 bits.
  expect_refused(HEADER(record_count), uint32_t{1} << 23, "record_count is 8388608");
}

TEST(Case, F5_CountZeroOrFarTooMany) {
  expect_refused(HEADER(record_count), uint32_t{0}, "record_count is 0");
  expect_refused(HEADER(record_count), uint32_t{0xffffffff}, "record_count is 4294967295");
  expect_refused(HEADER(record_count), uint32_t{1025}, "record_count is 1025");
  expect_refused(HEADER(record_count), uint32_t{2}, "total_size");
}

TEST(Case, F5_SizesThatAgreeButAreNotThere) {
  const std::string whole = bytes_of(sound_header(2), {sound_record(), sound_record()});
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{255}, std::size_t{256}, whole.size() - 1}) {
    const auto parsed = parse(whole.substr(0, size));
    ASSERT_FALSE(parsed) << size;
    EXPECT_EQ(parsed.error().status, BKR_BAD_DESCRIPTOR) << size;
  }
}

TEST(Case, F5_StringsWithoutEnd) {
  struct Text96 {
    char c[96];
  };
  const auto filled = [](auto text) {
    std::memset(text.c, 'x', sizeof text.c);
    return text;
  };
  struct Text32 {
    char c[32];
  };
  struct Text64 {
    char c[64];
  };
  struct Text192 {
    char c[192];
  };
  expect_refused(HEADER(plugin_id), filled(Text96{}), "plugin_id does not end");
  expect_refused(HEADER(version), filled(Text32{}), "version does not end");
  expect_refused(RECORD(family), filled(Text32{}), "record 1: family does not end");
  expect_refused(RECORD(name), filled(Text64{}), "record 1: name does not end");
  expect_refused(RECORD(path), filled(Text192{}), "record 1: path does not end");
  expect_refused(RECORD(symbol), filled(Text64{}), "record 1: symbol does not end");
  expect_refused(RECORD(interface_id), filled(Text64{}), "record 1: interface_id does not end");
  expect_refused(RECORD(cpu_level), filled(Text32{}), "record 1: cpu_level does not end");
}

TEST(Case, F5_StringsThatAreNotWhatTheyShouldBe) {
  expect_refused(HEADER(plugin_id), uint16_t{0}, "plugin_id is empty");
  expect_refused(HEADER(plugin_id) + 50, 'x', "plugin_id is followed");
  expect_refused(HEADER(version), '\xff', "version is not UTF-8");
  expect_refused(RECORD(family), '9', "family is '9ttention'");
  expect_refused(RECORD(name), '-', "name is '-AME'");
  expect_refused(RECORD(symbol), '(', "symbol is '(reate_backend'");
  expect_refused(RECORD(path) + 191, '\1', "path is followed");
  expect_refused(RECORD(cpu_level), '\xc3', "cpu_level is not UTF-8");
}

TEST(Case, F5_VersionZero) {
  expect_refused(HEADER(abi_major), uint16_t{0}, "abi_major is 0");
  expect_refused(HEADER(format), uint16_t{0}, "format is 0");
}

TEST(Case, F5_SomethingWhereFormat1HasZeros) {
  expect_refused(HEADER(zero), '\1', "header: zero is not zero");
  expect_refused(RECORD(zero) + 55, '\1', "record 1: zero is not zero");
}

TEST(Descriptor, LaterFormatMayUseTheZerosAndFlags) {
  std::string bytes = bytes_of(sound_header(1), {sound_record()});
  bytes = patched(bytes, HEADER(format), uint16_t{2});
  bytes = patched(bytes, HEADER(zero), uint32_t{77});
  bytes = patched(bytes, RECORD(zero), uint32_t{78});
  bytes = patched(bytes, RECORD(flags), uint32_t{4});

  const auto parsed = parse(bytes);

  ASSERT_TRUE(parsed) << parsed.error().reason;
  EXPECT_EQ(parsed->records[0].flags, 4u);
}

TEST(Descriptor, LargerHeaderAndRecordsAreUsedForWhatIsKnown) {
  bkr_descriptor_header header = sound_header(2);
  header.header_size = 300;
  header.record_size = 600;
  header.total_size = 300 + 2 * 600;
  std::string bytes = bytes_of(header, {}) + std::string(44, 'n');
  for (const char *name : {"ONE", "TWO"}) {
    bkr_descriptor_record record = sound_record();
    std::memcpy(record.name, name, 4);
    bytes += bytes_of(sound_header(1), {record}).substr(256) + std::string(88, 'n');
  }

  const auto parsed = parse(bytes);

  ASSERT_TRUE(parsed) << parsed.error().reason;
  ASSERT_EQ(parsed->records.size(), 2u);
  EXPECT_EQ(parsed->records[0].name, "ONE");
  EXPECT_EQ(parsed->records[1].name, "TWO");
}

TEST(Descriptor, RecordsOfAnotherMajorAreNotJudged) {
  std::string bytes = bytes_of(sound_header(2), {sound_record(), sound_record()});
  bytes = patched(bytes, HEADER(abi_major), uint16_t{BKR_ABI_MAJOR + 1});
  bytes = patched(bytes, RECORD(family) + sizeof(bkr_descriptor_record), '\1');

  const auto parsed = parse(bytes);

  ASSERT_TRUE(parsed) << parsed.error().reason;
  EXPECT_EQ(parsed->abi_major, BKR_ABI_MAJOR + 1);
  EXPECT_EQ(parsed->records.size(), 1u);
}

TEST(Case, F5_TornDescriptorInAFileIsNotUsable) {
  const std::string good = fixture("good.so");
  const std::size_t at = descriptor_offset(good);

  for (const auto &[offset, value] :
       {std::pair<std::size_t, uint32_t>{0, 0}, {8, 1}, {12, 1}, {16, 0}, {20, 1}, {24, 0}}) {
    const PluginFile file = inspect_bytes(patched(good, at + offset, value));
    ASSERT_TRUE(file.failure) << offset;
    EXPECT_EQ(file.failure->status, BKR_BAD_DESCRIPTOR) << file.failure->reason;
    EXPECT_EQ(file.failure->stage, BKR_STAGE_DESCRIPTOR);
    EXPECT_FALSE(file.described());
  }
}

TEST(Case, F5_NoteThatClaimsMoreThanThereIs) {
  const std::string good = fixture("good.so");
  const std::size_t content_size = descriptor_offset(good) - 12;
  for (const uint32_t size : {uint32_t{0xffffffff}, uint32_t{0x7ffffff0}, uint32_t{100000}}) {
    const PluginFile file = inspect_bytes(patched(good, content_size, size));
    ASSERT_TRUE(file.failure) << size;
    EXPECT_EQ(file.failure->status, BKR_BAD_DESCRIPTOR) << file.failure->reason;
  }
}

// The bytes of a 64-bit file, with only so many of them left to its notes from the descriptor's own on.
std::string with_notes_cut(std::string bytes, std::size_t left) {
  const std::size_t note = descriptor_offset(bytes) - 16;
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const std::size_t at = header.e_phoff + i * sizeof(Elf64_Phdr);
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes.data() + at, sizeof segment);
    if (segment.p_type != PT_NOTE || note < segment.p_offset || note >= segment.p_offset + segment.p_filesz) continue;
    bytes = patched(bytes, at + offsetof(Elf64_Phdr, p_filesz), uint64_t{note + left - segment.p_offset});
  }
  return bytes;
}

TEST(Case, F5_NoteThatIsCutInItsHead) {
  if (sizeof(void *) != 8) GTEST_SKIP() << "the fixtures are no 64-bit files here";
  for (std::size_t left = 1; left < 24; ++left) {
    const PluginFile file = inspect_bytes(with_notes_cut(fixture("good.so"), left));
    EXPECT_FALSE(file.described()) << left;
    // From the owner's last letter on it is known to be ours.
    if (left < 15) {
      EXPECT_TRUE(file.usable()) << left << file.failure->reason;
    } else {
      ASSERT_TRUE(file.failure) << left;
      EXPECT_EQ(file.failure->status, BKR_BAD_DESCRIPTOR) << file.failure->reason;
    }
  }
}

}  // namespace
}  // namespace bkr::core::testing
