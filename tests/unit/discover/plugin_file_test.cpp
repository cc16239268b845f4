// SPDX-License-Identifier: Apache-2.0
// Stages that ask this process, not the file: plugin ABI and CPU level. And libraries without a descriptor.
#include <backend_registry/descriptor.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "fixture.h"

namespace bkr::core::testing {
namespace {

std::string good_with_abi(uint16_t major, uint16_t minor_min, uint16_t minor) {
  std::string bytes = fixture("good.so");
  const std::size_t at = descriptor_offset(bytes);
  bytes = patched(bytes, at + offsetof(bkr_descriptor_header, abi_major), major);
  bytes = patched(bytes, at + offsetof(bkr_descriptor_header, abi_minor_min), minor_min);
  return patched(bytes, at + offsetof(bkr_descriptor_header, abi_minor), minor);
}

void expect_abi_mismatch(const PluginFile &file, std::string_view theirs) {
  ASSERT_TRUE(file.failure);
  EXPECT_EQ(file.failure->status, BKR_ABI_MISMATCH);
  EXPECT_EQ(file.failure->stage, BKR_STAGE_ABI);
  const std::string ours = std::to_string(BKR_ABI_MAJOR) + "." + std::to_string(BKR_ABI_MINOR);
  EXPECT_NE(file.failure->reason.find(theirs), std::string::npos) << file.failure->reason;
  EXPECT_NE(file.failure->reason.find(ours), std::string::npos) << file.failure->reason;
}

TEST(Case, L5_AnotherMajorIsRefusedWithBothVersions) {
  const uint16_t major = BKR_ABI_MAJOR + 1;
  expect_abi_mismatch(inspect_bytes(good_with_abi(major, 0, 3)), std::to_string(major) + ".3");
}

TEST(Case, L5_MinorMinAboveOursIsRefusedWithBothVersions) {
  const uint16_t minor = BKR_ABI_MINOR + 1;
  expect_abi_mismatch(inspect_bytes(good_with_abi(BKR_ABI_MAJOR, minor, minor)),
                      std::to_string(BKR_ABI_MAJOR) + "." + std::to_string(minor));
}

TEST(Case, L5_MinorAboveOursIsAccepted) {
  EXPECT_TRUE(inspect_bytes(good_with_abi(BKR_ABI_MAJOR, BKR_ABI_MINOR, BKR_ABI_MINOR + 9)).usable());
}

TEST(Case, L11_LibraryWithoutDescriptorIsUsableAndTold) {
  const PluginFile file = inspect_file(BKR_TEST_PLUGIN_DIR "/undescribed.so", {});

  EXPECT_TRUE(file.usable());
  EXPECT_FALSE(file.described());
  const Remark remark = no_descriptor_remark(file);
  EXPECT_NE(remark.reason.find("no descriptor"), std::string::npos);
  EXPECT_NE(remark.next.find("BKR_PLUGIN"), std::string::npos);
  EXPECT_NE(remark.next.find("::create_backend"), std::string::npos);
}

TEST(PluginFile, LibraryWithoutCreateFunctionIsToldApart) {
  const PluginFile file = inspect_file(BKR_TEST_PLUGIN_DIR "/no_plugin.so", {});

  EXPECT_TRUE(file.usable());
  EXPECT_NE(no_descriptor_remark(file).reason.find("neither"), std::string::npos);
}

TEST(PluginFile, FileIsRefusedByCpuOnlyIfNoRecordIsMet) {
  EXPECT_TRUE(inspect_bytes(fixture("good.so")).usable());

  const PluginFile file = inspect_bytes(fixture("foreign_cpu.so"));

  ASSERT_TRUE(file.failure);
  EXPECT_EQ(file.failure->status, BKR_WRONG_PLATFORM);
  EXPECT_EQ(file.failure->stage, BKR_STAGE_CPU);
  EXPECT_NE(file.failure->reason.find("x86-64-v99"), std::string::npos);
  EXPECT_TRUE(file.described());
}

TEST(PluginFile, PathIsCanonical) {
  const TempDir dir;
  write_file(dir / "real.so", fixture("good.so"));
  std::filesystem::create_symlink("real.so", dir / "link.so");

  const PluginFile file = inspect_file(dir.path() + "/.//link.so", {});

  EXPECT_TRUE(file.usable());
  EXPECT_EQ(file.path, dir / "real.so");
}

TEST(PluginFile, MissingFileIsNotFound) {
  const TempDir dir;
  const PluginFile file = inspect_file(dir / "none.so", {});

  ASSERT_TRUE(file.failure);
  EXPECT_EQ(file.failure->status, BKR_NOT_FOUND);
  EXPECT_EQ(file.failure->stage, BKR_STAGE_OPEN);
  EXPECT_NE(file.failure->reason.find(dir / "none.so"), std::string::npos);
}

TEST(PluginFile, IdentityIsThatOfTheFile) {
  const TempDir dir;
  write_file(dir / "x.so", fixture("good.so"));
  const PluginFile file = inspect_file(dir / "x.so", {});
  EXPECT_EQ(file.identity, identify(dir / "x.so").value());

  write_file(dir / "y.so", fixture("good.so"));
  std::filesystem::rename(dir / "y.so", dir / "x.so");

  EXPECT_NE(file.identity, identify(dir / "x.so").value());
}

}  // namespace
}  // namespace bkr::core::testing
