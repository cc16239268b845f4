// SPDX-License-Identifier: Apache-2.0
#include "seed_images.h"

#include <backend_registry/descriptor.h>

#include <string_view>

namespace bkr::core::fuzzing {

namespace {

using namespace std::string_view_literals;

// Bytes with numbers of one order and word size put behind each other, or over what is there.
class Bytes {
 public:
  Bytes(bool wide, bool big) : wide_(wide), big_(big) {}

  std::size_t size() const { return text.size(); }
  Bytes &number(uint64_t value, std::size_t bytes) {
    text.append(bytes, '\0');
    put(size() - bytes, value, bytes);
    return *this;
  }
  Bytes &u16(uint64_t value) { return number(value, 2); }
  Bytes &u32(uint64_t value) { return number(value, 4); }
  Bytes &word(uint64_t value) { return number(value, wide_ ? 8 : 4); }
  Bytes &raw(std::string_view bytes) {
    text += bytes;
    return *this;
  }
  void put(std::size_t at, uint64_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) {
      text[at + (big_ ? bytes - 1 - i : i)] = static_cast<char>(value >> (8 * i) & 0xff);
    }
  }
  Bytes &align(std::size_t to) {
    text.resize((size() + to - 1) / to * to, 0);
    return *this;
  }

  std::string text;

 private:
  bool wide_, big_;
};

constexpr std::string_view kStrings = "\0liba.so.1\0libb.so\0$ORIGIN:/opt/lib\0create_backend\0other\0"sv;
constexpr std::size_t kLibA = 1, kLibB = 11, kSearchPath = 19, kCreate = 36, kOther = 51;  // places in it

uint32_t gnu_hash(std::string_view name) {
  uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
}

void add_symbol(Bytes &to, bool wide, std::size_t name) {
  constexpr uint64_t global_function = 0x12, section = 1;
  to.u32(name);
  if (!wide) to.u32(0).u32(0);
  to.number(global_function, 1).number(0, 1).u16(section);
  if (wide) to.number(0, 8).number(0, 8);
}

// Two symbols in one bucket, ours behind the other.
void add_hash(Bytes &to, Hash hash) {
  if (hash == Hash::sysv) {
    to.u32(1).u32(3).u32(1).u32(0).u32(2).u32(0);  // sizes, bucket, chain
  } else {
    to.u32(1).u32(1).u32(1).u32(0).word(0).u32(1);  // sizes, a filter word, bucket
    to.u32(gnu_hash("other") & ~1u).u32(gnu_hash("create_backend") | 1u);
  }
}

void add_segment(Bytes &to, bool wide, uint32_t type, std::size_t begin, std::size_t size, std::size_t align) {
  constexpr uint64_t readable = 4;
  to.u32(type);
  if (wide) to.u32(readable);
  to.word(begin).word(begin).word(begin).word(size).word(size);
  if (!wide) to.u32(readable);
  to.word(align);
}

}  // namespace

std::string seed_descriptor() {
  const bkr_descriptor_header header{BKR_DESCRIPTOR_MAGIC, sizeof header, 512, 2, 256 + 2 * 512, 1, 0, 0, 1, 0,
                                     "org.example.seed",   "1.2.3",       {0}};
  const bkr_descriptor_record records[2] = {
      {"attention", "SEED", "seed.module.Class", "create_backend", "bkr.attention/1", "", 5, 0, {0}},
      {"mamba", "SEED_2", "seed.module.Gr\xc3\xbcn", "create_other", "", "x86-64-v3, none", -3, 0, {0}}};
  return std::string(reinterpret_cast<const char *>(&header), sizeof header) +
         std::string(reinterpret_cast<const char *>(records), sizeof records);
}

std::string seed_elf(bool wide, bool big, uint16_t machine, Hash hash) {
  const std::size_t word = wide ? 8 : 4, header_size = wide ? 64 : 52, segment_size = wide ? 56 : 32;
  constexpr std::size_t segments = 3, tags = 8, symbols = 3;
  // Addresses are places in the file.
  const std::size_t dynamic = (header_size + segments * segment_size + 7) / 8 * 8, dynamic_size = tags * 2 * word;
  const std::size_t table = dynamic + dynamic_size, symbol_size = wide ? 24 : 16;
  const std::size_t hashes = table + symbols * symbol_size;

  Bytes behind(wide, big);
  behind.text.resize(table, '\0');
  behind.text.resize(table + symbol_size, '\0');  // the first symbol is none
  add_symbol(behind, wide, kOther);
  add_symbol(behind, wide, kCreate);
  add_hash(behind, hash);
  const std::size_t strings = behind.size();
  behind.raw(kStrings).align(4);
  const std::size_t note = behind.size();
  const std::string descriptor = seed_descriptor();
  behind.u32(sizeof(BKR_DESCRIPTOR_NOTE_OWNER)).u32(descriptor.size()).u32(BKR_DESCRIPTOR_NOTE_TYPE);
  behind.raw("BKR\0"sv).raw(descriptor);

  Bytes elf(wide, big);
  elf.raw(
         "\x7f"
         "ELF")
      .number(wide ? 2 : 1, 1)
      .number(big ? 2 : 1, 1)
      .number(1, 1);
  elf.text.resize(16, '\0');
  elf.u16(3).u16(machine).u32(1).word(0).word(header_size).word(0).u32(0);
  elf.u16(header_size).u16(segment_size).u16(segments).u16(0).u16(0).u16(0);
  add_segment(elf, wide, 1, 0, behind.size(), 4096);
  add_segment(elf, wide, 2, dynamic, dynamic_size, word);
  add_segment(elf, wide, 4, note, behind.size() - note, 4);
  elf.align(8);
  const auto tag = [&elf](uint64_t name, uint64_t value) { elf.word(name).word(value); };
  tag(1, kLibA);
  tag(1, kLibB);
  tag(29, kSearchPath);
  tag(5, strings);
  tag(6, table);
  tag(10, kStrings.size());
  tag(hash == Hash::sysv ? 4 : 0x6ffffef5, hashes);
  tag(0, 0);
  return elf.text + behind.text.substr(elf.size());
}

std::string seed_pe(uint16_t machine, uint16_t flags) {
  constexpr std::size_t signature = 64, sections = signature + 24;
  const std::string descriptor = seed_descriptor();
  Bytes pe(false, false);
  pe.raw("MZ");
  pe.text.resize(60, '\0');
  pe.u32(signature).raw("PE\0\0"sv).u16(machine).u16(1);
  pe.text.resize(sections - 2, '\0');
  pe.u16(flags).raw(".bkr\0\0\0\0"sv).u32(0).u32(0).u32(descriptor.size()).u32(sections + 40);
  pe.text.resize(sections + 40, '\0');
  return pe.text + descriptor;
}

std::string seed_macho(bool wide, bool big, uint32_t machine, uint32_t kind) {
  Bytes macho(wide, big);
  macho.u32(wide ? 0xfeedfacf : 0xfeedface).u32(machine).u32(0).u32(kind).u32(0).u32(0).u32(0);
  return macho.text;
}

std::string seed_macho_fat(bool wide) {
  Bytes fat(wide, true);
  fat.u32(wide ? 0xcafebabf : 0xcafebabe).u32(2);
  for (const uint32_t machine : {0x01000007u, 0x0100000cu}) {
    fat.u32(machine).u32(0).word(4096).word(4096).u32(12);
    if (wide) fat.u32(0);
  }
  return fat.text;
}

}  // namespace bkr::core::fuzzing
