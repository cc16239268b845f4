// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"

namespace bkr::core::testing {
namespace {

constexpr InspectRules kStrict{.strict = true, .elevated = false};
constexpr InspectRules kElevated{.strict = false, .elevated = true};

void expect_denied(const PluginFile &file, std::string_view words) {
  ASSERT_TRUE(file.failure);
  EXPECT_EQ(file.failure->status, BKR_DENIED);
  EXPECT_EQ(file.failure->stage, BKR_STAGE_POLICY);
  EXPECT_NE(file.failure->reason.find(words), std::string::npos) << file.failure->reason;
}

class Policy : public ::testing::Test {
 protected:
  Policy() { write_file(file_, fixture("good.so")); }
  const TempDir dir_;
  const std::string file_ = dir_ / "x.so";
};

TEST_F(Policy, OrdinaryFileRaisesNoWarning) {
  EXPECT_TRUE(inspect_file(file_, {}).warnings.empty());
  EXPECT_TRUE(inspect_file(file_, kStrict).usable());
  EXPECT_TRUE(inspect_file(file_, kElevated).usable());
}

TEST_F(Policy, FileThatOthersMayWriteIsWarnedAbout) {
  ASSERT_EQ(::chmod(file_.c_str(), 0666), 0);

  const PluginFile file = inspect_file(file_, {});

  EXPECT_TRUE(file.usable());
  ASSERT_EQ(file.warnings.size(), 1u);
  EXPECT_NE(file.warnings[0].find(file_), std::string::npos);
}

TEST_F(Policy, FileThatOthersMayWriteIsRefusedWhenStrictOrElevated) {
  ASSERT_EQ(::chmod(file_.c_str(), 0666), 0);
  expect_denied(inspect_file(file_, kStrict), "any user may write");
  expect_denied(inspect_file(file_, kElevated), "any user may write");
}

TEST_F(Policy, DirectoryThatOthersMayWriteCountsAsTheFileDoes) {
  ASSERT_EQ(::chmod(dir_.path().c_str(), 0777), 0);
  EXPECT_EQ(inspect_file(file_, {}).warnings.size(), 1u);
  expect_denied(inspect_file(file_, kStrict), "any user may write to " + dir_.path());
}

TEST_F(Policy, StickyDirectoryIsNoFault) {
  ASSERT_EQ(::chmod(dir_.path().c_str(), 01777), 0);
  EXPECT_TRUE(inspect_file(file_, {}).warnings.empty());
  EXPECT_TRUE(inspect_file(file_, kStrict).usable());
}

TEST_F(Policy, ScanWarnsOnceOfADirectoryAndRefusesItsFilesWhenStrict) {
  ASSERT_EQ(::chmod(dir_.path().c_str(), 0777), 0);

  const Catalog lenient = scan_dirs({dir_.path()});
  ASSERT_EQ(lenient.directories.at(0).warnings.size(), 1u);
  EXPECT_TRUE(lenient.files.at(0).file.usable());
  EXPECT_TRUE(lenient.files.at(0).file.warnings.empty());

  expect_denied(scan_dirs({dir_.path()}, {}, kStrict).files.at(0).file, "any user may write to " + dir_.path());
}

TEST_F(Policy, RefusalOfOnePlaceIsNoVerdictOnAnotherNameOfTheFile) {
  const TempDir open_to_all;
  ASSERT_EQ(::symlink(file_.c_str(), (open_to_all / "a.so").c_str()), 0);
  ASSERT_EQ(::chmod(open_to_all.path().c_str(), 0777), 0);

  const Catalog catalog = scan_dirs({open_to_all.path(), dir_.path()}, {}, kStrict);

  EXPECT_EQ(usable_names(catalog), std::vector<std::string>{"x.so"});
}

TEST_F(Policy, OwnerIsRootOrTheUserOrIsWarnedAboutAndRefusedWhenStrict) {
  if (::geteuid() != 0) GTEST_SKIP() << "giving a file away takes root";
  ASSERT_EQ(::chown(file_.c_str(), 12345, static_cast<gid_t>(-1)), 0);
  const PluginFile lenient = inspect_file(file_, {});
  EXPECT_TRUE(lenient.usable());
  ASSERT_EQ(lenient.warnings.size(), 1u);
  EXPECT_NE(lenient.warnings[0].find("belongs to user 12345"), std::string::npos) << lenient.warnings[0];
  expect_denied(inspect_file(file_, kStrict), "belongs to user 12345");
  expect_denied(inspect_file(file_, kElevated), "belongs to user 12345");
}

}  // namespace
}  // namespace bkr::core::testing
