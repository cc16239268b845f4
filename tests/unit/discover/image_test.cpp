// SPDX-License-Identifier: Apache-2.0
// Real libraries: what is read of a good one, and of the same cut short, stripped, and without section headers.
#include <backend_registry/version.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fixture.h"

namespace bkr::core::testing {
namespace {

// The file without section headers, as some packers leave it.
std::string without_sections(std::string bytes) {
  bytes = patched(std::move(bytes), 40, uint64_t{0});  // e_shoff
  bytes = patched(std::move(bytes), 60, uint16_t{0});  // e_shnum
  return patched(std::move(bytes), 62, uint16_t{0});   // e_shstrndx
}

void expect_good(const PluginFile &file) {
  ASSERT_TRUE(file.usable()) << file.failure->text();
  ASSERT_TRUE(file.described());
  EXPECT_EQ(file.descriptor->plugin_id, "test.good");
  EXPECT_EQ(file.descriptor->version, "1.2.3");
  ASSERT_EQ(file.descriptor->records.size(), 2u);
  const Record &first = file.descriptor->records[0];
  EXPECT_EQ(first.family, "attention");
  EXPECT_EQ(first.name, "GOOD");
  EXPECT_EQ(first.path, "test.good.GoodBackend");
  EXPECT_EQ(first.symbol, "create_backend");
  EXPECT_EQ(first.interface_id, "bkr.attention/1");
  EXPECT_EQ(first.cpu_level, "");
  EXPECT_EQ(first.priority, 7);
  const Record &second = file.descriptor->records[1];
  EXPECT_EQ(second.symbol, "create_special");
  EXPECT_EQ(second.priority, -3);
}

TEST(Image, TellsAllThatIsToBeKnownOfAGoodPlugin) {
  const PluginFile file = inspect_bytes(fixture("good.so"));

  expect_good(file);
  EXPECT_EQ(file.image.format, "ELF");
  EXPECT_EQ(file.image.machine, own_machine());
  EXPECT_TRUE(file.image.exports_create_backend);
  EXPECT_LT(file.image.load_begin, file.image.load_end);
  EXPECT_GE(file.image.load_end - file.image.load_begin, 0x1000u);
  EXPECT_EQ(file.descriptor->abi_major, BKR_ABI_MAJOR);
}

TEST(Image, ListsTheLibrariesThatAreNeeded) {
  const PluginFile file = inspect_file(BKR_TEST_PLUGIN_DIR "/no_plugin.so", {});

  ASSERT_TRUE(file.usable()) << file.failure->text();
  EXPECT_TRUE(std::any_of(file.image.needed.begin(), file.image.needed.end(),
                          [](const std::string &name) { return name.find("libc.") == 0; }));
}

TEST(Image, ReadsADescriptorThatWasWrittenInCxx) {
  const PluginFile file = inspect_bytes(fixture("good_cpp.so"));

  ASSERT_TRUE(file.described());
  EXPECT_EQ(file.descriptor->plugin_id, "test.good_cpp");
  EXPECT_EQ(file.descriptor->records.at(0).path, "test.cpp.Backend");
}

TEST(Image, FindsCreateBackendThroughEitherKindOfHashTable) {
  EXPECT_TRUE(inspect_bytes(fixture("undescribed.so")).image.exports_create_backend);
  EXPECT_TRUE(inspect_bytes(fixture("sysv_hash.so")).image.exports_create_backend);
  EXPECT_FALSE(inspect_bytes(fixture("no_plugin.so")).image.exports_create_backend);
}

// One test for each size, so that a failing one has a name.
class Cut : public ::testing::TestWithParam<int> {};

TEST_P(Cut, F1_TruncatedFilesAreBadFiles) {
  const std::string whole = fixture("good.so");
  const std::size_t size = GetParam() < 0 ? whole.size() - 1 : static_cast<std::size_t>(GetParam());
  ASSERT_LT(size, whole.size());

  const PluginFile file = inspect_bytes(whole.substr(0, size));

  // The last bytes are section headers, which nobody needs: such a file is loadable.
  if (GetParam() < 0 && file.usable()) return expect_good(file);
  ASSERT_TRUE(file.failure);
  EXPECT_EQ(status_name(file.failure->status), std::string("BKR_BAD_FILE"));
  if (size >= 63) {
    EXPECT_NE(file.failure->reason.find(std::to_string(size)), std::string::npos) << file.failure->reason;
    EXPECT_NE(file.failure->reason.find("needs"), std::string::npos) << file.failure->reason;
  }
}

INSTANTIATE_TEST_SUITE_P(Case, Cut, ::testing::Values(0, 1, 63, 64, 500, 1000, 3000, 9000, -1));

TEST(Case, F1_NoCutLeavesALoadableSegmentOutsideTheFile) {
  const std::string whole = fixture("good.so");
  for (std::size_t size = 0; size < whole.size(); size += 61) {
    const PluginFile file = inspect_bytes(std::string_view(whole).substr(0, size));
    if (!file.failure) continue;
    EXPECT_EQ(file.failure->status, BKR_BAD_FILE) << size << ": " << file.failure->reason;
  }
}

TEST(Case, F4_StrippedPluginIsRead) { expect_good(inspect_bytes(fixture("stripped.so"))); }

TEST(Case, F4_PluginWithoutSectionHeadersIsRead) {
  const PluginFile file = inspect_bytes(without_sections(fixture("good.so")));

  expect_good(file);
  EXPECT_TRUE(file.image.exports_create_backend);
}

TEST(Case, F4_DescriptorSurvivesSectionCollectionAndLinkTimeOptimisation) {
  expect_good(inspect_bytes(fixture("collected.so")));
  expect_good(inspect_bytes(fixture("lto.so")));
}

TEST(Case, F5_TwoDescriptorsAreRefused) {
  const PluginFile file = inspect_bytes(fixture("two_descriptors.so"));

  ASSERT_TRUE(file.failure);
  EXPECT_EQ(file.failure->status, BKR_BAD_DESCRIPTOR);
  EXPECT_EQ(file.failure->stage, BKR_STAGE_DESCRIPTOR);
  EXPECT_NE(file.failure->reason.find("two descriptors"), std::string::npos);
}

}  // namespace
}  // namespace bkr::core::testing
