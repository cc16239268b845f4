// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text.h"
#include "discover/byte_view.h"
#include "discover/formats.h"

namespace bkr::core {

namespace {

constexpr std::size_t kDosHeaderSize = 64;
constexpr std::size_t kFileHeaderSize = 24;  // with the signature before it
constexpr std::size_t kSectionSize = 40;
constexpr uint16_t kFlagDll = 0x2000;
constexpr int kMaxSections = 96;  // the format's own limit
constexpr uint32_t kMaxDescriptorSize = uint32_t{4} << 20;

struct Machine {
  uint16_t number;
  std::string_view name;
  int bits;
};
constexpr Machine kMachines[] = {{0x014c, "x86", 32},  {0x8664, "x86-64", 64}, {0xaa64, "aarch64", 64},
                                 {0x01c4, "arm", 32},  {0x01c0, "arm", 32},    {0x5032, "riscv", 32},
                                 {0x5064, "riscv", 64}};

std::string machine_of(uint16_t number) {
  for (const Machine &machine : kMachines) {
    if (machine.number == number) return machine_text(machine.name, machine.bits, std::endian::little);
  }
  return cat("machine number ", number);
}

// The section `.bkr` holds the descriptor, padded with zeros.
void read_descriptor(const FileReader &file, uint64_t table, int count, Image &image) {
  for (int i = 0; i < std::min(count, kMaxSections); ++i) {
    std::array<std::byte, kSectionSize> bytes;
    if (!file.read(table + static_cast<uint64_t>(i) * kSectionSize, bytes)) return;
    const ByteView section(bytes, std::endian::little);
    if (section.text(0, 8) != std::string_view(".bkr\0\0\0\0", 8)) continue;
    const uint32_t size = section.u32(16);
    const uint32_t offset = section.u32(20);
    if (image.descriptor || size > kMaxDescriptorSize || offset > file.size() || size > file.size() - offset) {
      return refuse(image, BKR_BAD_DESCRIPTOR, BKR_STAGE_DESCRIPTOR,
                    image.descriptor ? "it has two descriptors" : "its descriptor does not lie inside the file",
                    damaged_advice());
    }
    image.descriptor.emplace(size);
    if (!file.read(offset, *image.descriptor)) image.descriptor.reset();
  }
}

}  // namespace

void read_pe(const FileReader &file, Image &image) {
  image.format = "PE";
  std::array<std::byte, kDosHeaderSize> dos;
  std::array<std::byte, kFileHeaderSize> bytes;
  const bool whole = file.read(0, dos);
  const uint64_t start = whole ? ByteView(dos, std::endian::little).u32(60) : 0;
  if (!whole || !file.read(start, bytes)) {
    return refuse(image, BKR_BAD_FILE, BKR_STAGE_FORMAT,
                  cat("it begins as a program or library of Windows, but is cut short: its header needs ",
                      start + kFileHeaderSize, " bytes, the file has ", file.size()),
                  damaged_advice());
  }
  const ByteView header(bytes, std::endian::little);
  if (header.text(0, 4) != std::string_view("PE\0\0", 4)) {
    image.format = "MZ";
    return refuse(image, BKR_BAD_FILE, BKR_STAGE_FORMAT, "it is a program of DOS, not a shared library",
                  "Put a shared library in its place, or remove the file.");
  }
  image.machine = machine_of(header.u16(4));
  const bool library = (header.u16(22) & kFlagDll) != 0;
  if (own_format() != image.format) {
    refuse_foreign(image, BKR_STAGE_FORMAT, library ? "a library of Windows (PE)" : "a program of Windows (PE)");
  } else if (image.machine != own_machine()) {
    refuse_foreign(image, BKR_STAGE_MACHINE, "a library of Windows (PE)");
  }
  if (!library) {
    refuse(image, BKR_BAD_FILE, BKR_STAGE_KIND, "it is a program, not a shared library", "Link the plugin as a DLL.");
  }
  read_descriptor(file, start + kFileHeaderSize + header.u16(20), header.u16(6), image);
}

}  // namespace bkr::core
