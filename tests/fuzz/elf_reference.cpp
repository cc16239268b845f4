// SPDX-License-Identifier: Apache-2.0
#include "elf_reference.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

namespace bkr::core::fuzzing {

namespace {

// The system's own structs, whose numbers are turned where the file has the other byte order.
template <class Header, class Segment>
class Reader {
 public:
  Reader(std::string_view bytes, std::endian order) : bytes_(bytes), turn_(order != std::endian::native) {}

  std::optional<ElfHeaders> read() const {
    Header header;
    if (!take(0, header)) return {};
    ElfHeaders found;
    found.type = number(header.e_type);
    if (number(header.e_phentsize) != sizeof(Segment)) return {};
    for (uint64_t i = 0; i < number(header.e_phnum); ++i) {
      Segment s;
      const uint64_t table = number(header.e_phoff);
      if (table > bytes_.size() || !take(table + i * sizeof s, s)) return {};
      found.segments.push_back({number(s.p_type), number(s.p_flags), number(s.p_offset), number(s.p_vaddr),
                                number(s.p_paddr), number(s.p_filesz), number(s.p_memsz), number(s.p_align)});
    }
    return found;
  }

 private:
  template <class T>
  bool take(uint64_t at, T &to) const {
    if (at > bytes_.size() || sizeof to > bytes_.size() - at) return false;
    std::memcpy(&to, bytes_.data() + at, sizeof to);
    return true;
  }

  template <class T>
  T number(T value) const {
    if (!turn_) return value;
    auto *const bytes = reinterpret_cast<unsigned char *>(&value);
    std::reverse(bytes, bytes + sizeof value);
    return value;
  }

  std::string_view bytes_;
  bool turn_;
};

}  // namespace

std::optional<ElfHeaders> read_elf_headers(std::string_view bytes) {
  if (bytes.size() < EI_NIDENT || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0) return {};
  const bool wide = bytes[EI_CLASS] == ELFCLASS64;
  const std::endian order = bytes[EI_DATA] == ELFDATA2MSB ? std::endian::big : std::endian::little;
  auto found =
      wide ? Reader<Elf64_Ehdr, Elf64_Phdr>(bytes, order).read() : Reader<Elf32_Ehdr, Elf32_Phdr>(bytes, order).read();
  if (found) {
    found->wide = wide;
    found->order = order;
  }
  return found;
}

}  // namespace bkr::core::fuzzing
