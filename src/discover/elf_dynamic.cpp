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

// The tags of the dynamic section that we follow; addresses are 0 where the tag is missing.
struct Tags {
  uint64_t strings = 0, strings_size = 0, symbols = 0, hash = 0, gnu_hash = 0, flags1 = 0;
  std::optional<uint64_t> rpath, runpath;
  std::vector<uint64_t> needed;
};

// Nothing if the section has no end.
std::optional<Tags> read_tags(const ElfFile &elf, const ElfSegment &dynamic) {
  const std::size_t entry_size = 2 * elf.word_size();
  Tags tags;
  std::array<std::byte, 1024> bytes;
  for (uint64_t at = 0; dynamic.file_size - at >= entry_size;) {
    const uint64_t room = std::min<uint64_t>(dynamic.file_size - at, bytes.size());
    const auto size = static_cast<std::size_t>(room - room % entry_size);
    if (dynamic.offset > UINT64_MAX - at || !elf.file.read(dynamic.offset + at, {bytes.data(), size})) return {};
    const ByteView view({bytes.data(), size}, elf.order);
    for (std::size_t i = 0; i < size; i += entry_size) {
      const uint64_t value = elf.word(view, i + elf.word_size());
      switch (elf.word(view, i)) {
        case kEnd:
          return tags;
        case kNeeded:
          if (tags.needed.size() < kMaxNeeded) tags.needed.push_back(value);
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
    at += size;
  }
  return {};
}

class SymbolTable {
 public:
  SymbolTable(const ElfFile &elf, const Tags &tags) : elf_(elf), tags_(tags) {}

  // The NUL-terminated name at `offset` of the string table; nothing if it has no end, or none before `enough`.
  std::optional<std::string> name(uint64_t offset, uint64_t enough = kMaxName) const {
    std::string text;
    std::array<std::byte, 256> bytes;
    while (offset < tags_.strings_size && text.size() < enough) {
      const auto size = static_cast<std::size_t>(std::min<uint64_t>(tags_.strings_size - offset, bytes.size()));
      if (!elf_.read_at_address(tags_.strings + offset, {bytes.data(), size})) return {};
      const std::string_view part(reinterpret_cast<const char *>(bytes.data()), size);
      const std::size_t end = part.find('\0');
      text += part.substr(0, end);
      if (end != std::string_view::npos) return text;
      offset += size;
    }
    return {};
  }

  // Whether others can find a function of that name in the library.
  bool exports(std::string_view wanted) const {
    return tags_.gnu_hash != 0 ? in_gnu_hash(wanted) : tags_.hash != 0 && in_hash(wanted);
  }

 private:
  std::optional<uint32_t> number(uint64_t address) const {
    std::array<std::byte, 4> bytes;
    if (!elf_.read_at_address(address, bytes)) return {};
    return ByteView(bytes, elf_.order).u32(0);
  }

  bool is_exported(uint64_t index, std::string_view wanted) const {
    std::array<std::byte, 24> bytes{};
    const std::size_t size = elf_.wide ? 24 : 16;
    if (!elf_.read_at_address(tags_.symbols + index * size, {bytes.data(), size})) return false;
    const ByteView symbol({bytes.data(), size}, elf_.order);
    const auto info = static_cast<unsigned>(bytes[elf_.wide ? 4 : 12]);
    const unsigned binding = info >> 4, type = info & 15;
    const bool visible = binding == 1 || binding == 2 || binding == 10;  // global, weak, unique
    const bool function = type == 0 || type == 2 || type == 10;          // untyped, function, resolver
    const bool defined = symbol.u16(elf_.wide ? 6 : 14) != 0;
    if (!visible || !function || !defined) return false;
    const auto found = name(symbol.u32(0), wanted.size() + 1);  // a long name need not be read to its end
    return found && *found == wanted;
  }

  bool in_gnu_hash(std::string_view wanted) const {
    uint32_t hash = 5381;
    for (const char c : wanted) hash = hash * 33 + static_cast<unsigned char>(c);
    std::array<std::byte, 16> bytes;
    if (!elf_.read_at_address(tags_.gnu_hash, bytes)) return false;
    const ByteView header(bytes, elf_.order);
    const uint64_t buckets = header.u32(0), first = header.u32(4), filter_words = header.u32(8);
    if (buckets == 0) return false;
    const uint64_t table = tags_.gnu_hash + bytes.size() + filter_words * elf_.word_size();
    const auto start = number(table + 4 * (hash % buckets));
    if (!start || *start < first) return false;
    uint64_t index = *start;
    for (int i = 0; i < kMaxChain; ++i, ++index) {
      const auto entry = number(table + 4 * (buckets + index - first));
      if (!entry) return false;
      // The last bit marks the end of the chain, the others are the hash.
      if ((*entry | 1u) == (hash | 1u) && is_exported(index, wanted)) return true;
      if ((*entry & 1u) != 0) return false;
    }
    return false;
  }

  bool in_hash(std::string_view wanted) const {
    uint32_t hash = 0;
    for (const char c : wanted) {
      hash = (hash << 4) + static_cast<unsigned char>(c);
      hash = (hash ^ ((hash & 0xf0000000u) >> 24)) & 0x0fffffffu;
    }
    const auto buckets = number(tags_.hash);
    if (!buckets || *buckets == 0) return false;
    const uint64_t table = tags_.hash + 8;
    auto index = number(table + 4 * uint64_t{hash % *buckets});
    for (int i = 0; i < kMaxChain && index && *index != 0; ++i) {
      if (is_exported(*index, wanted)) return true;
      index = number(table + 4 * (uint64_t{*buckets} + *index));
    }
    return false;
  }

  const ElfFile &elf_;
  const Tags &tags_;
};

}  // namespace

std::optional<ElfDynamic> read_elf_dynamic(const ElfFile &elf, const ElfSegment &dynamic) {
  const auto tags = read_tags(elf, dynamic);
  // No library can be linked without these two, and none that was made by a linker lacks them.
  if (!tags || tags->strings == 0 || tags->symbols == 0) return {};
  const SymbolTable table(elf, *tags);
  ElfDynamic found;
  found.program = (tags->flags1 & kFlagProgram) != 0;
  for (const uint64_t offset : tags->needed) {
    auto name = table.name(offset);
    if (!name) return {};
    found.needed.push_back(std::move(*name));
  }
  if (const auto path = tags->runpath ? tags->runpath : tags->rpath) found.search_path = table.name(*path).value_or("");
  found.exports_create_backend = table.exports(kCreate);
  return found;
}

}  // namespace bkr::core
