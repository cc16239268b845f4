// SPDX-License-Identifier: Apache-2.0
// Files made to keep us busy.
#include <elf.h>
#include <gtest/gtest.h>

#include "fixture.h"

namespace bkr::core::testing {
namespace {

// The good plugin with its program headers moved to its end, and empty ones behind them: `count` in all.
std::string with_program_headers(uint16_t count) {
  std::string bytes = fixture("good.so");
  Elf64_Ehdr header;
  bytes.copy(reinterpret_cast<char *>(&header), sizeof header);
  std::string table = bytes.substr(header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr));
  table.resize(count * sizeof(Elf64_Phdr));
  header.e_phoff = bytes.size();
  header.e_phnum = count;
  return patched(bytes, 0, header) + table;
}

// Every address of the dynamic section is looked up in the program headers: 60000 of them cost most of a minute.
TEST(CostlyFiles, MoreProgramHeadersThanLinuxTakesAreRefused) {
  if (own_machine().find("64-bit") == std::string::npos) GTEST_SKIP() << "the files are made for 64 bits";
  const PluginFile file = inspect_bytes(with_program_headers(60000));
  ASSERT_TRUE(file.failure);
  EXPECT_EQ(file.failure->status, BKR_BAD_FILE);
  EXPECT_EQ(file.failure->stage, BKR_STAGE_SEGMENTS);
  EXPECT_NE(file.failure->reason.find("it has 60000 program headers"), std::string::npos) << file.failure->reason;

  EXPECT_TRUE(inspect_bytes(with_program_headers(1171)).failure);
  EXPECT_TRUE(inspect_bytes(with_program_headers(1170)).usable());
}

}  // namespace
}  // namespace bkr::core::testing
