// SPDX-License-Identifier: Apache-2.0
#include "elf_facts.h"

#include <elf.h>
#include <link.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace rivals {

namespace {

template <typename Entry>
Entry at(const std::string &bytes, uint64_t offset) {
  Entry entry;
  if (offset + sizeof entry > bytes.size()) throw std::runtime_error("the library's file is cut off");
  std::memcpy(&entry, bytes.data() + offset, sizeof entry);
  return entry;
}

uint64_t symbol_of(const ElfW(Rela) & relocation) {
#if __ELF_NATIVE_CLASS == 64
  return ELF64_R_SYM(relocation.r_info);
#else
  return ELF32_R_SYM(relocation.r_info);
#endif
}

}  // namespace

ElfFacts read_elf_facts(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  ElfFacts facts;
  facts.bytes = bytes.size();
  const auto header = at<ElfW(Ehdr)>(bytes, 0);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto section = at<ElfW(Shdr)>(bytes, header.e_shoff + i * header.e_shentsize);
    if (section.sh_type == SHT_INIT_ARRAY) facts.initialisers += section.sh_size / sizeof(ElfW(Addr));
    if (section.sh_type != SHT_RELA) continue;
    for (uint64_t offset = 0; offset < section.sh_size; offset += sizeof(ElfW(Rela))) {
      facts.symbolic_relocations += symbol_of(at<ElfW(Rela)>(bytes, section.sh_offset + offset)) != 0;
    }
  }
  return facts;
}

}  // namespace rivals
