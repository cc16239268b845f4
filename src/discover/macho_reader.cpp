// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text.h"
#include "discover/byte_view.h"
#include "discover/formats.h"

namespace bkr::core {

namespace {

constexpr uint32_t kThin32 = 0xfeedface, kThin64 = 0xfeedfacf, kFat32 = 0xcafebabe, kFat64 = 0xcafebabf;
constexpr uint32_t kWideMachine = 0x01000000;
constexpr uint32_t kLibrary = 6, kBundle = 8;
constexpr uint32_t kMaxMachines = 44;

std::string machine_of(uint32_t type, std::endian order) {
  const int bits = (type & kWideMachine) != 0 ? 64 : 32;
  switch (type & ~kWideMachine) {
    case 7:
      return machine_text(bits == 64 ? "x86-64" : "x86", bits, order);
    case 12:
      return machine_text(bits == 64 ? "aarch64" : "arm", bits, order);
    case 18:
      return machine_text(bits == 64 ? "ppc64" : "ppc", bits, order);
    default:
      return cat("machine number ", type);
  }
}

std::string_view kind_of(uint32_t type) noexcept {
  switch (type) {
    case 1:
      return "an object file that is not linked yet";
    case 2:
      return "a program of macOS (Mach-O)";
    case 4:
      return "the memory of a process that crashed (a core file)";
    case kLibrary:
      return "a library of macOS (Mach-O)";
    case kBundle:
      return "a bundle of macOS (Mach-O)";
    case 10:
      return "the debug data of a library";
    default:
      return "a Mach-O file of a kind that is not known";
  }
}

void refuse_cut(const FileReader &file, uint64_t needed, Image &image) {
  refuse(image, BKR_BAD_FILE, BKR_STAGE_FORMAT,
         cat("it is cut short: its Mach-O header needs ", needed, " bytes, the file has ", file.size()),
         damaged_advice());
}

// Several files in one, each for a machine of its own.
void read_fat(const FileReader &file, uint32_t count, bool wide, Image &image) {
  const std::size_t entry_size = wide ? 32 : 20;
  std::vector<std::string> machines;
  for (uint32_t i = 0; i < std::min(count, kMaxMachines); ++i) {
    std::array<std::byte, 4> bytes;
    const uint64_t at = 8 + uint64_t{i} * entry_size;
    if (!file.read(at, bytes)) return refuse_cut(file, at + entry_size, image);
    const uint32_t type = ByteView(bytes, std::endian::big).u32(0);
    const bool big = (type & ~kWideMachine) == 18;
    machines.push_back(machine_of(type, big ? std::endian::big : std::endian::little));
  }
  image.machine = join(machines, " + ");
  if (own_format() != image.format) {
    refuse_foreign(image, BKR_STAGE_FORMAT, "a library or program of macOS (Mach-O)");
  } else if (std::find(machines.begin(), machines.end(), own_machine()) == machines.end()) {
    refuse_foreign(image, BKR_STAGE_MACHINE, "a Mach-O file");
  }
}

}  // namespace

void read_macho(const FileReader &file, Image &image) {
  image.format = "Mach-O";
  std::array<std::byte, 16> bytes;
  if (!file.read(0, bytes)) return refuse_cut(file, bytes.size(), image);
  const uint32_t magic = ByteView(bytes, std::endian::big).u32(0);
  if (magic == kFat32 || magic == kFat64) {
    return read_fat(file, ByteView(bytes, std::endian::big).u32(4), magic == kFat64, image);
  }
  const std::endian order = magic == kThin32 || magic == kThin64 ? std::endian::big : std::endian::little;
  const ByteView header(bytes, order);
  image.machine = machine_of(header.u32(4), order);
  const uint32_t kind = header.u32(12);
  if (own_format() != image.format) {
    refuse_foreign(image, BKR_STAGE_FORMAT, kind_of(kind));
  } else if (image.machine != own_machine()) {
    refuse_foreign(image, BKR_STAGE_MACHINE, kind_of(kind));
  }
  if (kind != kLibrary && kind != kBundle) {
    refuse(image, BKR_BAD_FILE, BKR_STAGE_KIND, cat("it is ", kind_of(kind), ", not a shared library"),
           "Link the plugin as a dynamic library or as a bundle.");
  }
}

}  // namespace bkr::core
