// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_BENCH_RIVALS_ELF_FACTS_H
#define BKR_TESTS_BENCH_RIVALS_ELF_FACTS_H

// What the system's loader has to do for a library before main() begins, counted in its file.
#include <cstdint>
#include <string>

namespace rivals {

struct ElfFacts {
  uint64_t bytes = 0;                 // of the file
  uint64_t symbolic_relocations = 0;  // those for which a name is looked up
  uint64_t initialisers = 0;          // functions in .init_array; the compiler's run time has one of its own
};

// Of a library for this machine.
ElfFacts read_elf_facts(const std::string &path);

}  // namespace rivals

#endif  // BKR_TESTS_BENCH_RIVALS_ELF_FACTS_H
