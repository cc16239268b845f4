// SPDX-License-Identifier: Apache-2.0
// Files that are no shared libraries, or none for this machine, or damaged: each is named and asked to be loaded.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>

#include "elf_changes.h"
#include "golden.h"

namespace golden {
namespace {

namespace fs = std::filesystem;

class Files : public Golden {
 protected:
  const Registry registry;
};

TEST_F(Files, file_is_a_directory) {
  fs::create_directory(dir / "x.so");
  expect(registry.load_path(dir / "x.so"), registry);
}
TEST_F(Files, file_is_a_named_pipe) {
  ASSERT_EQ(::mkfifo((dir / "x.so").c_str(), 0644), 0);
  expect(registry.load_path(dir / "x.so"), registry);
}
TEST_F(Files, file_is_a_socket) {
  const int handle = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  (dir / "x.so").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(handle, reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
  ::close(handle);
  expect(registry.load_path(dir / "x.so"), registry);
}
TEST_F(Files, file_is_a_device) { expect(registry.load_path("/dev/null"), registry); }
TEST_F(Files, file_of_the_environment_is_a_text) {
  const Variable variable("BKR_OVERRIDE_ATTENTION_CUSTOM", dir.drop("Once upon a time.\n", "x.so"));
  const Registry opened;
  expect(opened.load("CUSTOM"), opened);
}
TEST_F(Files, file_behind_a_link_is_a_text) {
  dir.drop("Once upon a time.\n", "x.txt");
  fs::create_symlink("x.txt", dir / "x.so");
  expect(registry.load_path(dir / "x.so"), registry);
}

struct Content {
  const char *name;
  std::string (*make)();
};
void PrintTo(const Content &content, std::ostream *to) { *to << content.name; }

std::string elf_with(std::size_t at, auto value) { return built("good").with(at, value).bytes(); }
std::string elf_of_type(uint16_t type) { return elf_with(offsetof(Elf64_Ehdr, e_type), type); }
std::string elf_with_segments(uint32_t type, const std::function<void(Elf64_Phdr &)> &change) {
  return with_segments(built("good"), type, change).bytes();
}
std::string elf_without(uint32_t type) {
  return elf_with_segments(type, [](Elf64_Phdr &segment) { segment.p_type = PT_NULL; });
}

std::string windows(uint16_t flags) {
  std::string bytes(512, '\0');
  bytes.replace(0, 2, "MZ");
  bytes[60] = 64;
  bytes.replace(64, 6, std::string("PE\0\0\xc0\x01", 6));
  bytes[64 + 23] = static_cast<char>(flags >> 8);
  return bytes;
}

std::string macho(char kind) {
  std::string bytes(512, '\0');
  bytes.replace(0, 12, std::string("\xcf\xfa\xed\xfe\x0c\0\0\0\0\0\0\0", 12));
  bytes[12] = kind;
  return bytes;
}

const Content kContents[] = {
    // No shared library.
    {"file_is_empty", [] { return std::string(); }},
    {"file_is_a_text", [] { return std::string("Once upon a time.\n"); }},
    {"file_is_a_script", [] { return std::string("#!/bin/sh\n"); }},
    {"file_is_a_linker_script", [] { return std::string("INPUT ( libreal.so.1 )\n"); }},
    {"file_is_an_archive", [] { return std::string("!<arch>\n"); }},
    {"file_is_of_no_known_format", [] { return std::string("\x01\x02\x03\xff"); }},
    {"file_is_a_program_of_dos", [] { return "MZ" + std::string(510, '\0'); }},
    {"elf_is_an_object_file", [] { return elf_of_type(ET_REL); }},
    {"elf_is_a_program", [] { return elf_of_type(ET_EXEC); }},
    {"elf_is_a_core_file", [] { return elf_of_type(ET_CORE); }},
    {"elf_is_of_no_known_kind", [] { return elf_of_type(99); }},
    {"elf_is_debug_data", [] { return built("debug_data").bytes(); }},
    {"elf_has_nothing_to_load", [] { return elf_without(PT_LOAD); }},
    {"elf_has_no_dynamic_section", [] { return elf_without(PT_DYNAMIC); }},
    // None for this machine or system.
    {"elf_is_32_bit",
     [] {
       return built("good")
           .with(EI_CLASS, uint8_t{ELFCLASS32})
           .with(offsetof(Elf64_Ehdr, e_machine), uint16_t{EM_386})
           .bytes();
     }},
    {"elf_is_big_endian",
     [] {
       return built("good")
           .with(EI_DATA, uint8_t{ELFDATA2MSB})
           .with(offsetof(Elf64_Ehdr, e_machine), uint16_t{0x1600})
           .bytes();
     }},
    {"elf_is_for_another_machine", [] { return elf_with(offsetof(Elf64_Ehdr, e_machine), uint16_t{EM_SPARCV9}); }},
    {"elf_is_for_a_machine_without_a_name", [] { return elf_with(offsetof(Elf64_Ehdr, e_machine), uint16_t{9999}); }},
    {"elf_is_for_another_system", [] { return elf_with(EI_OSABI, uint8_t{ELFOSABI_FREEBSD}); }},
    {"pe_is_a_library", [] { return windows(0x2000); }},
    {"pe_is_a_program", [] { return windows(0); }},
    {"macho_is_a_library", [] { return macho(6); }},
    {"macho_is_a_program", [] { return macho(2); }},
    {"macho_is_for_several_machines",
     [] {
       return std::string("\xca\xfe\xba\xbe\0\0\0\x02", 8) + std::string("\x01\0\0\x12", 4) + std::string(16, '\0') +
              std::string("\0\0\0\x0c", 4) + std::string(16, '\0');
     }},
    // Cut short.
    {"elf_is_cut_in_its_header", [] { return built("good").cut(20).bytes(); }},
    {"elf_is_cut_in_its_program_headers", [] { return built("good").cut(100).bytes(); }},
    {"elf_is_cut_in_what_it_loads", [] { return built("good").cut(1000).bytes(); }},
    {"elf_is_cut_in_its_notes",
     [] { return elf_with_segments(PT_NOTE, [](Elf64_Phdr &notes) { notes.p_offset = 1 << 30; }); }},
    {"pe_is_cut", [] { return std::string("MZ"); }},
    {"macho_is_cut", [] { return std::string("\xcf\xfa\xed\xfe"); }},
    // Damaged.
    {"elf_has_a_damaged_header", [] { return elf_with(EI_VERSION, uint8_t{9}); }},
    {"elf_has_no_program_headers", [] { return elf_with(offsetof(Elf64_Ehdr, e_phnum), uint16_t{0}); }},
    {"elf_has_segments_that_contradict",
     [] { return elf_with_segments(PT_LOAD, [](Elf64_Phdr &segment) { segment.p_memsz = 0; }); }},
    {"elf_has_an_unsound_dynamic_section",
     [] { return elf_with_segments(PT_DYNAMIC, [](Elf64_Phdr &segment) { segment.p_filesz = 8; }); }},
    {"elf_has_too_many_notes",
     [] {
       const std::size_t size = built("good").size();
       return elf_with_segments(PT_NOTE,
                                [size](Elf64_Phdr &notes) {
                                  notes.p_offset = size;
                                  notes.p_filesz = 60000;
                                }) +
              std::string(60000, '\0');
     }},
};

class EachFile : public Files, public testing::WithParamInterface<Content> {};

TEST_P(EachFile, is_refused) {
  const std::string file = dir.drop(GetParam().make(), "x.so");
  expect(registry.load_path(file), registry);
}

INSTANTIATE_TEST_SUITE_P(Golden, EachFile, testing::ValuesIn(kContents), RowName());

}  // namespace
}  // namespace golden
