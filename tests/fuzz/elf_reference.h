// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_FUZZ_ELF_REFERENCE_H
#define BKR_TESTS_FUZZ_ELF_REFERENCE_H

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "discover/elf_format.h"

namespace bkr::core::fuzzing {

// The headers of an ELF file, read a second time and from memory.
struct ElfHeaders {
  bool wide = false;
  std::endian order = std::endian::little;
  uint16_t type = 0;
  std::vector<ElfSegment> segments;
};

// Nothing if the bytes are no ELF file, or its program headers are not all there.
std::optional<ElfHeaders> read_elf_headers(std::string_view bytes);

}  // namespace bkr::core::fuzzing

#endif  // BKR_TESTS_FUZZ_ELF_REFERENCE_H
