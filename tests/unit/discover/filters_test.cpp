// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include "fixture.h"

namespace bkr::core::testing {
namespace {

bool allows(const Filters &filters, std::string_view id, std::string_view name) {
  std::string why;
  const bool allowed = filters.allow(id, name, why);
  EXPECT_EQ(allowed, why.empty());
  return allowed;
}

TEST(Filters, WithoutVariablesEverythingIsUsed) { EXPECT_TRUE(allows({}, "org.example.fast", "fast.so")); }

TEST(Case, N11_EnableAloneUsesOnlyWhatItMatches) {
  const Filters filters{"org.example.*,b?r.so", ""};
  EXPECT_TRUE(allows(filters, "org.example.fast", "fast.so"));
  EXPECT_TRUE(allows(filters, "", "bkr.so"));
  EXPECT_FALSE(allows(filters, "org.other", "fast.so"));
  EXPECT_FALSE(allows(filters, "", "bkkr.so"));
}

TEST(Case, N11_DisableAloneLeavesOutWhatItMatches) {
  const Filters filters{"", "fast*, ORG.OTHER"};
  EXPECT_FALSE(allows(filters, "org.example.fast", "Fast.so"));
  EXPECT_FALSE(allows(filters, "org.other", "slow.so"));
  EXPECT_TRUE(allows(filters, "org.example.slow", "slow.so"));
}

TEST(Case, N11_OfBothEnableDecides) {
  const Filters filters{"a.so", "*"};
  EXPECT_TRUE(allows(filters, "", "a.so"));
  EXPECT_FALSE(allows(filters, "", "b.so"));
}

TEST(Filters, GlobsMatchWholeNames) {
  EXPECT_TRUE(allows({"*", ""}, "", "x.so"));
  EXPECT_TRUE(allows({"**a*b**", ""}, "", "xxaxxb"));
  EXPECT_FALSE(allows({"a", ""}, "", "ab"));
  EXPECT_FALSE(allows({"a?", ""}, "", "a"));
  EXPECT_FALSE(allows({"*.so", ""}, "", "x.so.1"));
  EXPECT_TRUE(allows({"*a*a*a*a*a*b", ""}, "", std::string(200, 'a') + "b"));
}

TEST(Filters, QuestionMarkIsOneCharacterOfAnyLength) {
  EXPECT_TRUE(allows({"?.so", ""}, "", "\xd1\x84.so"));
  EXPECT_TRUE(allows({"?.so", ""}, "", "\xf0\x9f\x9a\x80.so"));
  EXPECT_FALSE(allows({"??.so", ""}, "", "\xd1\x84.so"));
}

TEST(Filters, ReasonNamesTheVariable) {
  std::string why;
  EXPECT_FALSE((Filters{"", "a*"}).allow("", "a.so", why));
  EXPECT_NE(why.find("BKR_DISABLE"), std::string::npos);
  EXPECT_FALSE((Filters{"b*", ""}).allow("", "a.so", why));
  EXPECT_NE(why.find("BKR_ENABLE"), std::string::npos);
}

class FilteredScan : public ::testing::Test {
 protected:
  FilteredScan() {
    write_file(dir_ / "a.so", fixture("good.so"));
    write_file(dir_ / "b.so", fixture("good_cpp.so"));
  }
  const TempDir dir_;
};

TEST_F(FilteredScan, LeavesFilesOutByNameOrPluginIdAndSaysWhy) {
  EXPECT_EQ(usable_names(scan_dirs({dir_.path()}, {"", "a.so"})), std::vector<std::string>{"b.so"});
  EXPECT_EQ(usable_names(scan_dirs({dir_.path()}, {"test.good", ""})), std::vector<std::string>{"a.so"});

  const Catalog catalog = scan_dirs({dir_.path()}, {"", "a.so"});
  const Failure &failure = *catalog.files.at(0).file.failure;
  EXPECT_EQ(failure.status, BKR_DENIED);
  EXPECT_EQ(failure.stage, BKR_STAGE_POLICY);
  EXPECT_NE(failure.reason.find("BKR_DISABLE=a.so"), std::string::npos);
}

TEST_F(FilteredScan, LooksAtEveryNameOfAFile) {
  std::filesystem::create_symlink("a.so", dir_ / "z.so");
  EXPECT_EQ(usable_names(scan_dirs({dir_.path()}, {"", "z.so"})), std::vector<std::string>{"b.so"});
  EXPECT_EQ(usable_names(scan_dirs({dir_.path()}, {"z.so", ""})), std::vector<std::string>{"a.so"});
}

TEST(Case, N11_FileNamedExplicitlyIsUsedWhateverTheFiltersSay) {
  const TempDir dir;
  write_file(dir / "a.so", fixture("good.so"));
  const std::vector<SearchPlace> places = {{dir.path(), Origin::config}, {dir / "a.so", Origin::environment}};

  const Catalog catalog = scan(places, {}, {"", "*"});

  ASSERT_NE(catalog.find(dir / "a.so"), nullptr);
  EXPECT_TRUE(catalog.find(dir / "a.so")->file.usable());
}

}  // namespace
}  // namespace bkr::core::testing
