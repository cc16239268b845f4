// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "discover/elf_format.h"

namespace bkr::core {

namespace {

constexpr uint64_t kEnd = 0, kNeeded = 1, kHash = 4, kStrings = 5, kSymbols = 6, kStringsSize = 10, kRpath = 15,
                   kRunpath = 29;
constexpr uint64_t kGnuHash = 0x6ffffef5, kFlags1 = 0x6ffffffb;
constexpr uint64_t kFlagProgram = 0x08000000;

constexpr std::size_t kMaxNeeded = 1024;
constexpr uint64_t kMaxName = 4096;
// The symbols that share a hash bucket with ours: a few in any real library.
constexpr int kMaxChain = 4096;

constexpr std::string_view kCreate = "create_backend";

constexpr uint32_t kCreateGnuHash = [] {
  uint32_t hash = 5381;
  for (const char c : kCreate) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
}();

constexpr uint32_t kCreateHash = [] {
  uint32_t hash = 0;
  for (const char c : kCreate) {
    hash = (hash << 4) + static_cast<unsigned char>(c);
    hash = (hash ^ ((hash & 0xf0000000u) >> 24)) & 0x0fffffffu;
  }
  return hash;
}();

// The tags of the dynamic section that we follow; addresses are 0 where the tag is missing.
struct Tags {
  uint64_t strings = 0, strings_size = 0, symbols = 0, hash = 0, gnu_hash = 0, flags1 = 0;
  std::optional<uint64_t> rpath, runpath;
  std::size_t needed_count = 0;
  std::array<uint64_t, kMaxNeeded> needed;
};

// Whether the section has an end.
bool read_tags(const ElfFile &elf, const ElfSegment &dynamic, Tags &tags) {
  const std::size_t entry_size = 2 * elf.word_size();
  constexpr std::size_t kAtOnce = 1024;  // bytes
  std::array<uint64_t, kAtOnce / 4> words;
  for (uint64_t at = 0; dynamic.file_size - at >= entry_size;) {
    const auto count = std::min<uint64_t>((dynamic.file_size - at) / entry_size, kAtOnce / entry_size);
    const std::span<uint64_t> entries(words.data(), 2 * static_cast<std::size_t>(count));
    if (dynamic.offset > UINT64_MAX - at || !elf.read_words(dynamic.offset + at, entries)) return false;
    for (std::size_t i = 0; i < entries.size(); i += 2) {
      const uint64_t value = entries[i + 1];
      switch (entries[i]) {
        case kEnd:
          return true;
        case kNeeded:
          if (tags.needed_count < kMaxNeeded) tags.needed[tags.needed_count++] = value;
          break;
        case kRpath:
          tags.rpath = value;
          break;
        case kRunpath:
          tags.runpath = value;
          break;
        case kHash:
          tags.hash = value;
          break;
        case kStrings:
          tags.strings = value;
          break;
        case kSymbols:
          tags.symbols = value;
          break;
        case kStringsSize:
          tags.strings_size = value;
          break;
        case kGnuHash:
          tags.gnu_hash = value;
          break;
        case kFlags1:
          tags.flags1 = value;
          break;
        default:
          break;
      }
    }
    at += entries.size() * elf.word_size();
  }
  return false;
}

class SymbolTable {
 public:
  SymbolTable(const ElfFile &elf, const Tags &tags) : elf_(elf), tags_(tags) {}

  // The NUL-terminated name at `offset` of the string table; nothing if it has no end.
  std::optional<std::string> name(uint64_t offset) const {
    std::string text;
    Room room;
    while (text.size() < kMaxName) {
      const std::string_view part = strings(offset, room);
      const std::size_t end = part.find('\0');
      text += part.substr(0, end);
      if (end != std::string_view::npos) return text;
      if (part.empty()) break;
      offset += part.size();
    }
    return {};
  }

  // Whether others can find a function create_backend in the library.
  bool exports_create() const { return tags_.gnu_hash != 0 ? in_gnu_hash() : tags_.hash != 0 && in_hash(); }

 private:
  using Room = std::array<std::byte, 256>;

  // What there is at `offset` of the string table, or the first part of it.
  std::string_view strings(uint64_t offset, Room &room) const {
    if (offset >= tags_.strings_size) return {};
    const auto size = static_cast<std::size_t>(std::min<uint64_t>(tags_.strings_size - offset, room.size()));
    const std::byte *const bytes = elf_.borrow_at_address(tags_.strings + offset, {room.data(), size});
    return {reinterpret_cast<const char *>(bytes), bytes ? size : 0};
  }

  std::optional<uint32_t> number(uint64_t address) const {
    std::array<std::byte, 4> room;
    const std::byte *const bytes = elf_.borrow_at_address(address, room);
    if (!bytes) return {};
    return ByteView({bytes, room.size()}, elf_.order).u32(0);
  }

  bool is_create(uint64_t index) const {
    std::array<std::byte, 24> symbol_room;
    const std::size_t size = elf_.wide ? 24 : 16;
    const std::byte *const bytes = elf_.borrow_at_address(tags_.symbols + index * size, {symbol_room.data(), size});
    if (!bytes) return false;
    const ByteView symbol({bytes, size}, elf_.order);
    const auto info = static_cast<unsigned>(bytes[elf_.wide ? 4 : 12]);
    const unsigned binding = info >> 4, type = info & 15;
    const bool visible = binding == 1 || binding == 2 || binding == 10;  // global, weak, unique
    const bool function = type == 0 || type == 2 || type == 10;          // untyped, function, resolver
    const bool defined = symbol.u16(elf_.wide ? 6 : 14) != 0;
    if (!visible || !function || !defined) return false;
    Room room;
    const std::string_view name = strings(symbol.u32(0), room);
    return name.starts_with(kCreate) && name.size() > kCreate.size() && name[kCreate.size()] == '\0';
  }

  bool in_gnu_hash() const {
    std::array<std::byte, 16> room;
    const std::byte *const bytes = elf_.borrow_at_address(tags_.gnu_hash, room);
    if (!bytes) return false;
    const ByteView header({bytes, room.size()}, elf_.order);
    const uint64_t buckets = header.u32(0), first = header.u32(4), filter_words = header.u32(8);
    if (buckets == 0) return false;
    const uint64_t table = tags_.gnu_hash + room.size() + filter_words * elf_.word_size();
    const auto start = number(table + 4 * (kCreateGnuHash % buckets));
    if (!start || *start < first) return false;
    uint64_t index = *start;
    for (int i = 0; i < kMaxChain; ++i, ++index) {
      const auto entry = number(table + 4 * (buckets + index - first));
      if (!entry) return false;
      // The last bit marks the end of the chain, the others are the hash.
      if ((*entry | 1u) == (kCreateGnuHash | 1u) && is_create(index)) return true;
      if ((*entry & 1u) != 0) return false;
    }
    return false;
  }

  bool in_hash() const {
    const auto buckets = number(tags_.hash);
    if (!buckets || *buckets == 0) return false;
    const uint64_t table = tags_.hash + 8;
    auto index = number(table + 4 * uint64_t{kCreateHash % *buckets});
    for (int i = 0; i < kMaxChain && index && *index != 0; ++i) {
      if (is_create(*index)) return true;
      index = number(table + 4 * (uint64_t{*buckets} + *index));
    }
    return false;
  }

  const ElfFile &elf_;
  const Tags &tags_;
};

}  // namespace

std::optional<ElfDynamic> read_elf_dynamic(const ElfFile &elf, const ElfSegment &dynamic) {
  Tags tags;
  // No library can be linked without these two, and none that was made by a linker lacks them.
  if (!read_tags(elf, dynamic, tags) || tags.strings == 0 || tags.symbols == 0) return {};
  const SymbolTable table(elf, tags);
  ElfDynamic found;
  found.program = (tags.flags1 & kFlagProgram) != 0;
  for (const uint64_t offset : std::span(tags.needed).first(tags.needed_count)) {
    auto name = table.name(offset);
    if (!name) return {};
    found.needed.push_back(std::move(*name));
  }
  if (const auto path = tags.runpath ? tags.runpath : tags.rpath) found.search_path = table.name(*path).value_or("");
  found.exports_create_backend = table.exports_create();
  return found;
}

}  // namespace bkr::core
