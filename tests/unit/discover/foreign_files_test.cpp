// SPDX-License-Identifier: Apache-2.0
// Files that are no plugins for this machine: the verdict says what they are and what is needed.
#include <gtest/gtest.h>

#include <bit>

#include "fixture.h"

namespace bkr::core::testing {
namespace {

using namespace std::string_literals;

void expect_verdict(const PluginFile &file, bkr_status status, int32_t stage, std::string_view words) {
  ASSERT_TRUE(file.failure);
  EXPECT_EQ(status_name(file.failure->status), std::string(status_name(status))) << file.failure->reason;
  EXPECT_EQ(stage_word(file.failure->stage), stage_word(stage)) << file.failure->reason;
  EXPECT_NE(file.failure->reason.find(words), std::string::npos) << file.failure->reason;
}

void expect_wrong_platform(const PluginFile &file, int32_t stage, std::string_view what_it_is) {
  expect_verdict(file, BKR_WRONG_PLATFORM, stage, what_it_is);
  EXPECT_NE(file.failure->reason.find(own_machine()), std::string::npos) << file.failure->reason;
}

// A whole ELF header of another kind of machine, with one program header.
std::string elf_header(bool wide, bool big, uint16_t machine, uint16_t type = 3) {
  std::string bytes(wide ? 64 + 56 : 52 + 32, '\0');
  bytes.replace(0, 7,
                "\x7f"
                "ELF"s +
                    (wide ? '\2' : '\1') + (big ? '\2' : '\1') + '\1');
  const auto put = [&](std::size_t at, std::size_t size, uint64_t value) {
    for (std::size_t i = 0; i < size; ++i) {
      bytes[at + (big ? size - 1 - i : i)] = static_cast<char>(value >> (8 * i));
    }
  };
  put(16, 2, type);
  put(18, 2, machine);
  put(20, 4, 1);
  put(wide ? 32 : 28, wide ? 8 : 4, wide ? 64 : 52);  // e_phoff
  put(wide ? 54 : 42, 2, wide ? 56 : 32);             // e_phentsize
  put(wide ? 56 : 44, 2, 1);                          // e_phnum
  return bytes;
}

std::string pe_file(uint16_t machine, uint16_t flags) {
  std::string bytes(512, '\0');
  bytes.replace(0, 2, "MZ");
  bytes = patched(bytes, 60, uint32_t{128});
  bytes.replace(128, 4, "PE\0\0"s);
  bytes = patched(bytes, 132, machine);
  return patched(bytes, 150, flags);
}

std::string macho_file(uint32_t machine, uint32_t kind) {
  std::string bytes(64, '\0');
  bytes = patched(bytes, 0, uint32_t{0xfeedfacf});
  bytes = patched(bytes, 4, machine);
  return patched(bytes, 12, kind);
}

TEST(Case, F3_LibraryForAnotherMachine) {
  expect_wrong_platform(inspect_bytes(elf_header(true, false, own_machine().find("aarch64") == 0 ? 62 : 183)),
                        BKR_STAGE_MACHINE, own_machine().find("aarch64") == 0 ? "x86-64, 64-bit" : "aarch64, 64-bit");
}

TEST(Case, F3_32BitLibrary) {
  expect_wrong_platform(inspect_bytes(elf_header(false, false, 3)), BKR_STAGE_MACHINE, "x86, 32-bit, little-endian");
}

TEST(Case, F3_BigEndianLibrary) {
  expect_wrong_platform(inspect_bytes(elf_header(true, true, 21)), BKR_STAGE_MACHINE, "ppc64, 64-bit, big-endian");
  expect_wrong_platform(inspect_bytes(elf_header(false, true, 8)), BKR_STAGE_MACHINE, "mips, 32-bit, big-endian");
}

TEST(Case, F3_MachineWithoutAName) {
  expect_wrong_platform(inspect_bytes(elf_header(true, false, 0xabcd)), BKR_STAGE_MACHINE, "machine number 43981");
}

TEST(Case, F3_PluginForAnotherMachineStillTellsItsBackends) {
  const PluginFile file = inspect_bytes(patched(fixture("good.so"), 18, uint16_t{0xabcd}));

  expect_wrong_platform(file, BKR_STAGE_MACHINE, "machine number 43981");
  ASSERT_TRUE(file.described());
  EXPECT_EQ(file.descriptor->plugin_id, "test.good");
}

TEST(Case, F3_LibraryOfAnotherSystem) {
#if defined(__linux__)
  expect_wrong_platform(inspect_bytes(patched(fixture("good.so"), 7, uint8_t{9})), BKR_STAGE_MACHINE, "FreeBSD");
#else
  GTEST_SKIP() << "the mark is known on Linux";
#endif
}

TEST(Case, F3_WindowsFiles) {
  expect_wrong_platform(inspect_bytes(pe_file(0x8664, 0x2022)), BKR_STAGE_FORMAT, "a library of Windows");
  expect_wrong_platform(inspect_bytes(pe_file(0xaa64, 0x0022)), BKR_STAGE_FORMAT, "a program of Windows");
  EXPECT_EQ(inspect_bytes(pe_file(0xaa64, 0x2022)).image.machine, "aarch64, 64-bit, little-endian");
}

TEST(Case, F3_DescriptorInAWindowsLibraryIsRead) {
  const std::string good = fixture("good.so");
  const std::string descriptor = good.substr(descriptor_offset(good), 256 + 2 * 512);
  std::string bytes = pe_file(0x8664, 0x2022);
  bytes = patched(bytes, 134, uint16_t{1});     // sections
  bytes.replace(128 + 24, 8, ".bkr\0\0\0\0"s);  // the only one, as there is no optional header
  bytes = patched(bytes, 128 + 24 + 16, static_cast<uint32_t>(descriptor.size()));
  bytes = patched(bytes, 128 + 24 + 20, uint32_t{512});

  const PluginFile file = inspect_bytes(bytes + descriptor);

  expect_wrong_platform(file, BKR_STAGE_FORMAT, "a library of Windows");
  ASSERT_TRUE(file.described());
  EXPECT_EQ(file.descriptor->plugin_id, "test.good");
}

TEST(Case, F3_WindowsFilesThatAreNotWhole) {
  expect_verdict(inspect_bytes("MZ"), BKR_BAD_FILE, BKR_STAGE_FORMAT, "cut short");
  expect_verdict(inspect_bytes(pe_file(0x8664, 0x2022).substr(0, 130)), BKR_BAD_FILE, BKR_STAGE_FORMAT, "cut short");
  expect_verdict(inspect_bytes(patched(pe_file(0x8664, 0x2022), 60, uint32_t{0xfffffff0})), BKR_BAD_FILE,
                 BKR_STAGE_FORMAT, "cut short");
  expect_verdict(inspect_bytes(patched(pe_file(0x8664, 0x2022), 128, 'X')), BKR_BAD_FILE, BKR_STAGE_FORMAT, "DOS");
}

TEST(Case, F3_MacFiles) {
  expect_wrong_platform(inspect_bytes(macho_file(0x0100000c, 6)), BKR_STAGE_FORMAT, "a library of macOS");
  expect_wrong_platform(inspect_bytes(macho_file(0x01000007, 2)), BKR_STAGE_FORMAT, "a program of macOS");
  EXPECT_EQ(inspect_bytes(macho_file(0x0100000c, 8)).image.machine, "aarch64, 64-bit, little-endian");
  expect_verdict(inspect_bytes(macho_file(0x0100000c, 6).substr(0, 9)), BKR_BAD_FILE, BKR_STAGE_FORMAT, "cut short");
}

TEST(Case, F3_MacFileForSeveralMachines) {
  const std::string fat =
      "\xca\xfe\xba\xbe\0\0\0\2"s + "\1\0\0\7"s + std::string(16, '\0') + "\1\0\0\14"s + std::string(16, '\0');

  const PluginFile file = inspect_bytes(fat);

  expect_wrong_platform(file, BKR_STAGE_FORMAT, "macOS");
  EXPECT_EQ(file.image.machine, "x86-64, 64-bit, little-endian + aarch64, 64-bit, little-endian");
  expect_verdict(inspect_bytes(fat.substr(0, 30)), BKR_BAD_FILE, BKR_STAGE_FORMAT, "cut short");
}

TEST(Case, F3_JavaClassIsNoMacFile) {
  expect_verdict(inspect_bytes("\xca\xfe\xba\xbe\0\0\0\x34"s), BKR_BAD_FILE, BKR_STAGE_FORMAT, "not known");
}

TEST(Case, F3_Programs) {
  expect_verdict(inspect_bytes(fixture("no_pie")), BKR_BAD_FILE, BKR_STAGE_KIND, "a program");
  expect_verdict(inspect_bytes(fixture("pie")), BKR_BAD_FILE, BKR_STAGE_KIND, "a program");
}

TEST(Case, F3_CoreFileAndObjectFile) {
  const std::string good = fixture("good.so");
  expect_verdict(inspect_bytes(patched(good, 16, uint16_t{4})), BKR_BAD_FILE, BKR_STAGE_KIND, "core file");
  expect_verdict(inspect_bytes(patched(good, 16, uint16_t{1})), BKR_BAD_FILE, BKR_STAGE_KIND, "object file");
}

TEST(Case, F3_DebugData) {
  expect_verdict(inspect_bytes(fixture("debug_data.so")), BKR_BAD_FILE, BKR_STAGE_KIND, "debug data");
}

TEST(Case, F3_FilesOfOtherFormats) {
  const auto expect_format = [](std::string_view bytes, std::string_view format) {
    const PluginFile file = inspect_bytes(bytes);
    ASSERT_TRUE(file.failure) << format;
    EXPECT_EQ(file.failure->status, BKR_BAD_FILE) << format;
    EXPECT_EQ(file.failure->stage, BKR_STAGE_FORMAT) << format;
    EXPECT_EQ(file.image.format, format);
  };
  expect_format("", "empty");
  expect_format("see you tomorrow\n", "text");
  expect_format("gr\xc3\xbc\xc3\x9f dich", "text");
  expect_format("#!/bin/sh\nexit 1\n", "script");
  expect_format("/* GNU ld script */\nGROUP ( libx.so.1 )\n", "linker script");
  expect_format("!<arch>\nx", "archive");
  expect_format("\x01\x02\x03\xff"s + std::string(100, '\0'), "unknown");
}

TEST(ForeignFiles, HeadersThatCannotBeAreBadFiles) {
  const std::string good = fixture("good.so");
  const uint64_t far = UINT64_MAX - 8;
  expect_verdict(inspect_bytes(patched(good, 4, uint8_t{7})), BKR_BAD_FILE, BKR_STAGE_FORMAT, "word size");
  expect_verdict(inspect_bytes(patched(good, 32, far)), BKR_BAD_FILE, BKR_STAGE_SEGMENTS, "needs");
  expect_verdict(inspect_bytes(patched(good, 56, uint16_t{0})), BKR_BAD_FILE, BKR_STAGE_SEGMENTS, "0 program headers");
  expect_verdict(inspect_bytes(patched(good, 56, uint16_t{0xffff})), BKR_BAD_FILE, BKR_STAGE_SEGMENTS,
                 "program headers");
  expect_verdict(inspect_bytes(patched(good, 56, uint16_t{0xfffe})), BKR_BAD_FILE, BKR_STAGE_SEGMENTS, "needs");
  expect_verdict(inspect_bytes(patched(good, 54, uint16_t{7})), BKR_BAD_FILE, BKR_STAGE_SEGMENTS, "of 7 bytes");
}

}  // namespace
}  // namespace bkr::core::testing
