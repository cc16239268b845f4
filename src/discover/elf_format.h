// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_DISCOVER_ELF_FORMAT_H
#define BKR_DISCOVER_ELF_FORMAT_H

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "discover/byte_view.h"
#include "discover/file_reader.h"

namespace bkr::core {

// The numbers of the ELF format that we need, by hand: files of this format are recognised on systems without
// <elf.h> too.
inline constexpr uint16_t kElfRelocatable = 1;
inline constexpr uint16_t kElfProgram = 2;
inline constexpr uint16_t kElfShared = 3;
inline constexpr uint16_t kElfCore = 4;
inline constexpr uint32_t kSegmentLoad = 1;
inline constexpr uint32_t kSegmentDynamic = 2;
inline constexpr uint32_t kSegmentNote = 4;
inline constexpr uint32_t kSegmentExecutable = 1;  // in ElfSegment::flags

// A program header, as it lies in a 64-bit file of this machine's byte order.
struct ElfSegment {
  uint32_t type = 0;
  uint32_t flags = 0;
  uint64_t offset = 0;
  uint64_t address = 0;
  uint64_t physical_address = 0;
  uint64_t file_size = 0;
  uint64_t memory_size = 0;
  uint64_t align = 0;
};

// What the headers of an ELF file say: the file header and the program headers. Section headers are never looked
// at: they may be missing from a good library, and the system's loader ignores them.
struct ElfFile {
  const FileReader &file;
  bool wide = true;  // 64-bit
  std::endian order = std::endian::little;
  uint16_t type = 0;
  std::vector<ElfSegment> segments;

  std::size_t word_size() const noexcept { return wide ? 8 : 4; }
  uint64_t word(const ByteView &view, std::size_t at) const noexcept { return wide ? view.u64(at) : view.u32(at); }

  // Whether its structures are as this machine's own.
  bool is_own() const noexcept { return wide && order == std::endian::native; }

  // Fills `to` with words of the file, from `offset`; false if it does not hold all of them.
  bool read_words(uint64_t offset, std::span<uint64_t> to) const noexcept {
    const auto bytes = std::as_writable_bytes(to).first(to.size() * word_size());
    if (!file.read(offset, bytes)) return false;
    // In their own place, the last one first: a narrow word lies before the place of the wide one.
    for (std::size_t i = is_own() ? 0 : to.size(); i-- > 0;) to[i] = word(ByteView(bytes, order), i * word_size());
    return true;
  }

  // As FileReader::borrow(), from the place that the loader would map to `address`; null if no segment has it all in
  // the file.
  const std::byte *borrow_at_address(uint64_t address, std::span<std::byte> room) const noexcept {
    for (const ElfSegment &s : segments) {
      if (s.type != kSegmentLoad || address < s.address) continue;
      const uint64_t into = address - s.address;
      if (into <= s.file_size && room.size() <= s.file_size - into && s.offset <= UINT64_MAX - into) {
        return file.borrow(s.offset + into, room);
      }
    }
    return nullptr;
  }
};

// elf_notes.cpp. The descriptor's bytes; nothing if the file has none; a failure if it has two, or one that cannot be
// taken out.
Result<std::optional<std::vector<std::byte>>> find_elf_descriptor(const ElfFile &elf);

// elf_dynamic.cpp. What the system's loader would use to link the library.
struct ElfDynamic {
  bool program = false;  // a position-independent program
  std::vector<std::string> needed;
  std::string search_path;  // where it wants them looked for, as it is written: "$ORIGIN:/opt/lib"
  bool exports_create_backend = false;
};
// Nothing if the dynamic section is not sound.
std::optional<ElfDynamic> read_elf_dynamic(const ElfFile &elf, const ElfSegment &dynamic);

}  // namespace bkr::core

#endif  // BKR_DISCOVER_ELF_FORMAT_H
