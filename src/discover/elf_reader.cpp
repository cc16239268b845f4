// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text.h"
#include "discover/elf_format.h"
#include "discover/formats.h"

namespace bkr::core {

namespace {

// Offsets in the file header and in a program header, for both word sizes.
struct Layout {
  std::size_t header_size, table_offset, entry_size, entry_count;
  std::size_t segment_size, flags, offset, address, file_size, memory_size, align;
};
constexpr Layout kNarrow{52, 28, 42, 44, 32, 24, 4, 8, 16, 20, 28};
constexpr Layout kWide{64, 32, 54, 56, 56, 4, 8, 16, 32, 40, 48};

constexpr std::size_t kIdentSize = 16;

// A library has a dozen program headers. Every address is looked up in them, so that a file made to keep us busy has
// as many as it can; Linux itself runs no program with a longer table.
constexpr uint64_t kMaxTableSize = 65536;

std::string machine_name(uint16_t machine) {
  switch (machine) {
    case 2:
      return "sparc";
    case 3:
      return "x86";
    case 8:
      return "mips";
    case 20:
      return "ppc";
    case 21:
      return "ppc64";
    case 22:
      return "s390";
    case 40:
      return "arm";
    case 43:
      return "sparc64";
    case 50:
      return "ia64";
    case 62:
      return "x86-64";
    case 183:
      return "aarch64";
    case 190:
      return "cuda";
    case 224:
      return "amdgpu";
    case 243:
      return "riscv";
    case 258:
      return "loongarch";
    default:
      return cat("machine number ", machine);
  }
}

// The systems whose libraries carry a mark of their own that our system's loader refuses.
std::string_view foreign_system([[maybe_unused]] uint8_t mark) noexcept {
#if defined(__linux__)
  switch (mark) {
    case 1:
      return "HP-UX";
    case 2:
      return "NetBSD";
    case 6:
      return "Solaris";
    case 9:
      return "FreeBSD";
    case 12:
      return "OpenBSD";
    default:
      return {};
  }
#else
  return {};
#endif
}

// What a file is that is no shared library; empty for one that is, as far as the file header tells.
std::string_view other_kind(uint16_t type) noexcept {
  switch (type) {
    case kElfShared:
      return {};
    case kElfRelocatable:
      return "an object file that is not linked yet";
    case kElfProgram:
      return "a program";
    case kElfCore:
      return "the memory of a process that crashed (a core file)";
    default:
      return "an ELF file of a kind that is not known";
  }
}

void refuse_kind(Image &image, std::string_view what) {
  refuse(image, BKR_BAD_FILE, BKR_STAGE_KIND, cat("it is ", what, ", not a shared library"),
         "Link the plugin as a shared library (backend_add_plugin() in CMake, -shared by hand).");
}

void refuse_cut(Image &image, int32_t stage, std::string_view what, uint64_t needed, uint64_t size) {
  refuse(image, BKR_BAD_FILE, stage, cat("it is cut short: ", what, " needs ", needed, " bytes, the file has ", size),
         damaged_advice());
}

void refuse_damaged(Image &image, int32_t stage, std::string_view what) {
  refuse(image, BKR_BAD_FILE, stage, cat("it is damaged: ", what), damaged_advice());
}

// The program headers; false if they are not all there.
bool read_segments(ElfFile &elf, const ByteView &header, const Layout &layout, Image &image) {
  const uint64_t offset = elf.word(header, layout.table_offset);
  const uint16_t entry_size = header.u16(layout.entry_size);
  const uint16_t count = header.u16(layout.entry_count);
  const uint64_t size = elf.file.size();
  // 0xffff would mean that the count is in the section headers, which no shared library needs.
  if (count == 0 || count == 0xffff || entry_size != layout.segment_size) {
    refuse_damaged(image, BKR_STAGE_SEGMENTS, cat("it has ", count, " program headers of ", entry_size, " bytes"));
    return false;
  }
  const uint64_t table_size = uint64_t{count} * entry_size;
  if (offset > size || table_size > size - offset) {
    const uint64_t end = offset > UINT64_MAX - table_size ? UINT64_MAX : offset + table_size;
    refuse_cut(image, BKR_STAGE_SEGMENTS, "its table of program headers", end, size);
    return false;
  }
  if (table_size > kMaxTableSize) {
    refuse_damaged(image, BKR_STAGE_SEGMENTS, cat("it has ", count, " program headers"));
    return false;
  }
  elf.segments.resize(count);
  // What is like our own structure is read into it as it is, everything else beside it first.
  static_assert(sizeof(ElfSegment) == kWide.segment_size);
  std::vector<std::byte> table(elf.is_own() ? 0 : static_cast<std::size_t>(table_size));
  if (!elf.file.read(offset, elf.is_own() ? std::as_writable_bytes(std::span(elf.segments)) : std::span(table))) {
    refuse_damaged(image, BKR_STAGE_SEGMENTS, "its table of program headers cannot be read");
    return false;
  }
  const ByteView view(table, elf.order);
  for (std::size_t at = 0; at < table.size(); at += entry_size) {
    elf.segments[at / entry_size] = {view.u32(at),
                                     view.u32(at + layout.flags),
                                     elf.word(view, at + layout.offset),
                                     elf.word(view, at + layout.address),
                                     0,
                                     elf.word(view, at + layout.file_size),
                                     elf.word(view, at + layout.memory_size),
                                     elf.word(view, at + layout.align)};
  }
  return true;
}

// objcopy --only-keep-debug leaves the headers and takes the code away.
bool is_debug_data(const ElfFile &elf) noexcept {
  return std::any_of(elf.segments.begin(), elf.segments.end(), [](const ElfSegment &s) {
    const bool code = s.type == kSegmentLoad && (s.flags & kSegmentExecutable) != 0;
    return (code || s.type == kSegmentDynamic) && s.file_size == 0 && s.memory_size != 0;
  });
}

// What the system's loader would map must be in the file, in order, and must make sense: it does not check all of
// it itself, and a page past the end of a file is a signal, not an error.
void check_loads(const ElfFile &elf, Image &image) {
  uint64_t file_end = 0;
  uint64_t end = 0;
  bool first = true;
  for (const ElfSegment &s : elf.segments) {
    if (s.type != kSegmentLoad) continue;
    const bool overflows = s.offset > UINT64_MAX - s.file_size || s.address > UINT64_MAX - s.memory_size;
    const bool aligned =
        s.align <= 1 || ((s.align & (s.align - 1)) == 0 && ((s.address - s.offset) & (s.align - 1)) == 0);
    if (overflows || !aligned || s.file_size > s.memory_size || (!first && s.address < end)) {
      return refuse_damaged(image, BKR_STAGE_SEGMENTS, "its loadable segments contradict each other");
    }
    if (first) image.load_begin = s.address;
    first = false;
    end = s.address + s.memory_size;
    file_end = std::max(file_end, s.offset + s.file_size);
  }
  if (first) return refuse_kind(image, "an ELF file without anything to load");
  image.load_end = end;
  if (file_end > elf.file.size()) refuse_cut(image, BKR_STAGE_SEGMENTS, "what it loads", file_end, elf.file.size());
}

void read_dynamic(const ElfFile &elf, Image &image) {
  const auto found = std::find_if(elf.segments.begin(), elf.segments.end(),
                                  [](const ElfSegment &s) { return s.type == kSegmentDynamic; });
  if (found == elf.segments.end()) return refuse_kind(image, "an ELF file without a dynamic section");
  auto dynamic = read_elf_dynamic(elf, *found);
  if (!dynamic) return refuse_damaged(image, BKR_STAGE_SEGMENTS, "its dynamic section is not sound");
  if (dynamic->program) refuse_kind(image, "a program");
  image.needed = std::move(dynamic->needed);
  image.search_path = std::move(dynamic->search_path);
  image.exports_create_backend = dynamic->exports_create_backend;
}

}  // namespace

void read_elf(const FileReader &file, Image &image) {
  image.format = "ELF";
  std::array<std::byte, kWide.header_size> room;
  const auto size = static_cast<std::size_t>(std::min<uint64_t>(file.size(), room.size()));
  const std::byte *const bytes = size < kIdentSize ? nullptr : file.borrow(0, {room.data(), size});
  if (!bytes) {
    return refuse_cut(image, BKR_STAGE_FORMAT, "its header", kWide.header_size, file.size());
  }
  const auto word_class = static_cast<uint8_t>(bytes[4]);
  const auto byte_order = static_cast<uint8_t>(bytes[5]);
  const auto version = static_cast<uint8_t>(bytes[6]);
  if (word_class < 1 || word_class > 2 || byte_order < 1 || byte_order > 2 || version != 1) {
    return refuse_damaged(image, BKR_STAGE_FORMAT, "word size, byte order or version of its header do not exist");
  }
  ElfFile elf{file, word_class == 2, byte_order == 1 ? std::endian::little : std::endian::big, 0, {}};
  const Layout &layout = elf.wide ? kWide : kNarrow;
  if (size < layout.header_size) {
    return refuse_cut(image, BKR_STAGE_FORMAT, "its header", layout.header_size, file.size());
  }
  const ByteView header({bytes, size}, elf.order);
  elf.type = header.u16(16);
  image.machine = machine_text(machine_name(header.u16(18)), elf.wide ? 64 : 32, elf.order);

  // From here on every reason is noted and reading goes on: a plugin for another machine still has a descriptor,
  // and who asks for its backend shall hear what is wrong with it.
  if (own_format() != image.format) refuse_foreign(image, BKR_STAGE_FORMAT, "an ELF file");
  if (image.machine != own_machine()) refuse_foreign(image, BKR_STAGE_MACHINE, "an ELF file");
  if (const auto system = foreign_system(static_cast<uint8_t>(bytes[7])); !system.empty()) {
    refuse_foreign(image, BKR_STAGE_MACHINE, cat("an ELF file of ", system));
  }
  if (const auto kind = other_kind(elf.type); !kind.empty()) refuse_kind(image, kind);
  if (!read_segments(elf, header, layout, image)) return;
  if (is_debug_data(elf)) {
    refuse(image, BKR_BAD_FILE, BKR_STAGE_KIND, "it is the debug data of a library, not the library itself",
           "Put the library in its place; debug data belongs beside it, under another name.");
  }
  check_loads(elf, image);
  if (!image.failure) read_dynamic(elf, image);

  auto descriptor = find_elf_descriptor(elf);
  if (descriptor) {
    image.descriptor = std::move(*descriptor);
  } else {
    refuse(image, descriptor.error().status, descriptor.error().stage, descriptor.error().reason,
           descriptor.error().next);
  }
}

}  // namespace bkr::core
