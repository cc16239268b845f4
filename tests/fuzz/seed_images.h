// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_FUZZ_SEED_IMAGES_H
#define BKR_TESTS_FUZZ_SEED_IMAGES_H

#include <cstdint>
#include <string>

// The smallest images that have something in every part that is read.
namespace bkr::core::fuzzing {

// Two records, format 1.
std::string seed_descriptor();

enum class Hash { gnu, sysv };
// A shared library with a load segment, two needed libraries, a search path, an exported create_backend and a note
// with a descriptor.
std::string seed_elf(bool wide, bool big, uint16_t machine, Hash hash);

// A library of Windows with a descriptor in its section .bkr.
std::string seed_pe(uint16_t machine, uint16_t flags);

std::string seed_macho(bool wide, bool big, uint32_t machine, uint32_t kind);
// Two machines in one file.
std::string seed_macho_fat(bool wide);

}  // namespace bkr::core::fuzzing

#endif  // BKR_TESTS_FUZZ_SEED_IMAGES_H
