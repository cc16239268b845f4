// SPDX-License-Identifier: Apache-2.0
#include <backend_registry/descriptor.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.h"
#include "discover/elf_format.h"
#include "discover/formats.h"

namespace bkr::core {

namespace {

constexpr std::size_t kNoteHeaderSize = 12;  // sizes of owner and content, type: for both word sizes
constexpr uint32_t kOwnerSize = sizeof(BKR_DESCRIPTOR_NOTE_OWNER);

// Room for a later format with records eight times as long.
constexpr uint64_t kMaxDescriptorSize = uint64_t{4} << 20;

// A library has a handful of notes; a file made to keep us busy could have millions.
constexpr int kMaxNotes = 4096;

tl::unexpected<Failure> unsound(bkr_status status, int32_t stage, std::string reason,
                                std::string next = damaged_advice()) {
  return fail(Failure{status, stage, std::move(reason), std::move(next), 0});
}

uint64_t padded(uint64_t size, uint64_t align) noexcept { return (size + align - 1) & ~(align - 1); }

}  // namespace

Result<std::optional<std::vector<std::byte>>> find_elf_descriptor(const ElfFile &elf) {
  std::optional<std::vector<std::byte>> found;
  int notes = 0;
  for (const ElfSegment &s : elf.segments) {
    if (s.type != kSegmentNote) continue;
    const uint64_t size = elf.file.size();
    if (s.offset > size || s.file_size > size - s.offset) {
      return unsound(
          BKR_BAD_FILE, BKR_STAGE_SEGMENTS,
          cat("it is cut short: its notes at ", s.offset, " need ", s.file_size, " bytes, the file has ", size));
    }
    const uint64_t align = s.align == 8 ? 8 : 4;
    uint64_t at = 0;
    while (s.file_size - at >= kNoteHeaderSize) {
      if (++notes > kMaxNotes) return unsound(BKR_BAD_FILE, BKR_STAGE_SEGMENTS, "it is damaged: it has too many notes");
      std::array<std::byte, kNoteHeaderSize + kOwnerSize> bytes{};  // an owner that is cut ends in zeros, as ours does
      const uint64_t room = s.file_size - at;
      if (!elf.file.read(s.offset + at,
                         {bytes.data(), static_cast<std::size_t>(std::min<uint64_t>(room, bytes.size()))})) {
        return unsound(BKR_BAD_FILE, BKR_STAGE_SEGMENTS, "it is damaged: its notes cannot be read");
      }
      const ByteView note(bytes, elf.order);
      const uint64_t owner_size = note.u32(0);
      const uint64_t content_size = note.u32(4);
      // 32-bit sizes in 64 bits: no sum here overflows.
      const uint64_t content = padded(kNoteHeaderSize + owner_size, align);
      const bool ours =
          owner_size == kOwnerSize && note.u32(8) == BKR_DESCRIPTOR_NOTE_TYPE &&
          note.text(kNoteHeaderSize, kOwnerSize) == std::string_view(BKR_DESCRIPTOR_NOTE_OWNER, kOwnerSize);
      const bool fits = content <= room && content_size <= room - content;
      if (ours) {
        if (found) {
          return unsound(BKR_BAD_DESCRIPTOR, BKR_STAGE_DESCRIPTOR, "it has two descriptors",
                         "Keep one BKR_PLUGIN in the library, with all its backends.");
        }
        if (!fits || content_size > kMaxDescriptorSize) {
          return unsound(BKR_BAD_DESCRIPTOR, BKR_STAGE_DESCRIPTOR,
                         cat("its descriptor is not sound: it claims ", content_size, " bytes, but there is room for ",
                             content <= room ? std::min(room - content, kMaxDescriptorSize) : 0));
        }
        found.emplace(static_cast<std::size_t>(content_size));
        if (!elf.file.read(s.offset + at + content, *found)) {
          return unsound(BKR_BAD_FILE, BKR_STAGE_SEGMENTS, "it is damaged: its notes cannot be read");
        }
      }
      // The notes of others may be as broken as they like: they end what can be read of this segment.
      if (!fits) break;
      const uint64_t next = padded(content + content_size, align);
      if (next >= room) break;
      at += next;
    }
  }
  return found;
}

}  // namespace bkr::core
