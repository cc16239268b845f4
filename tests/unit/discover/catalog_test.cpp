// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "fixture.h"

namespace bkr::core::testing {
namespace {

namespace fs = std::filesystem;

TEST(Case, S1_FoundFromAnyWorkingDirectory) {
  const TempDir dir;
  write_file(dir / "good.so", fixture("good.so"));
  fs::create_directory(dir / "gone");
  const fs::path old = fs::current_path();

  std::vector<std::string> found;
  for (const std::string &working : {std::string("/"), dir.path(), dir / "gone"}) {
    fs::current_path(working);
    if (working == dir / "gone") fs::remove(working);
    const Catalog catalog = scan({{dir.path(), Origin::environment}}, {}, {});
    ASSERT_EQ(catalog.files.size(), 1u);
    found.push_back(catalog.files[0].file.path);
  }
  fs::current_path(old);

  EXPECT_EQ(found, std::vector<std::string>(3, dir / "good.so"));
}

TEST(Case, S2_MissingDirectoryIsToldAndTheNextIsRead) {
  const TempDir dir;
  write_file(dir / "good.so", fixture("good.so"));

  const Catalog catalog = scan_dirs({dir / "none", dir / "good.so", dir.path()});

  ASSERT_EQ(catalog.directories.size(), 3u);
  EXPECT_EQ(catalog.directories[0].state, "missing");
  EXPECT_EQ(catalog.directories[0].path, dir / "none");
  EXPECT_EQ(catalog.directories[1].state, "not a directory");
  EXPECT_EQ(catalog.directories[2].state, "ok");
  EXPECT_EQ(usable_names(catalog), std::vector<std::string>{"good.so"});
  EXPECT_EQ(catalog.files[0].directory, 2u);
}

TEST(Case, S8_SortedByBytesAndTheSameEachTime) {
  const TempDir dir;
  std::vector<std::string> names;
  for (int i = 0; i < 50; ++i) names.push_back((i % 2 == 0 ? "Plug" : "plug") + std::to_string(i) + ".so");
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  std::shuffle(names.begin(), names.end(), std::mt19937(7));
  const std::string bytes = fixture("good.so");
  for (const std::string &name : names) write_file(dir / name, bytes);

  for (int run = 0; run < 20; ++run) EXPECT_EQ(usable_names(scan_dirs({dir.path()})), sorted);
}

TEST(Case, S9_OneFileUnderFourNamesIsOnePlugin) {
  const TempDir dir;
  write_file(dir / "f.so", fixture("good.so"));
  fs::create_symlink("f.so", dir / "symbolic.so");
  fs::create_hard_link(dir / "f.so", dir / "hard.so");
  const std::vector<SearchPlace> places = {{dir.path(), Origin::config}, {dir.path() + "//f.so", Origin::environment}};

  const Catalog catalog = scan(places, {}, {});

  EXPECT_EQ(usable_names(catalog), std::vector<std::string>{"f.so"});
  ASSERT_EQ(catalog.files.size(), 4u);
  EXPECT_EQ(catalog.directories[1].state, "file");
  const PluginFile &first = catalog.files[0].file;
  EXPECT_EQ(first.also, (std::vector<std::string>{dir / "hard.so", dir / "symbolic.so", dir.path() + "//f.so"}));
  for (std::size_t i = 1; i < 4; ++i) {
    const PluginFile &other = catalog.files[i].file;
    ASSERT_TRUE(other.failure);
    EXPECT_EQ(other.failure->stage, BKR_STAGE_DUPLICATE);
    EXPECT_EQ(other.failure->status, BKR_ALREADY_EXISTS);
    EXPECT_NE(other.failure->reason.find(first.path), std::string::npos);
    EXPECT_EQ(catalog.find(other.path), &catalog.files[0]);
  }
}

TEST(Case, S9_LinkThatSortsFirstStandsForTheFile) {
  const TempDir dir;
  write_file(dir / "libx.so.1.2", fixture("good.so"));
  fs::create_symlink("libx.so.1.2", dir / "libx.so");

  const Catalog catalog = scan_dirs({dir.path()});

  EXPECT_EQ(usable_names(catalog), std::vector<std::string>{"libx.so"});
  EXPECT_EQ(catalog.files[0].file.path, dir / "libx.so.1.2");
  EXPECT_EQ(catalog.files[0].file.also, std::vector<std::string>{dir / "libx.so"});
  EXPECT_EQ(catalog.files[1].file.failure->stage, BKR_STAGE_DUPLICATE);
}

TEST(Case, S9_OneDirectoryUnderTwoNamesIsReadOnce) {
  const TempDir dir;
  const TempDir elsewhere;
  write_file(dir / "good.so", fixture("good.so"));
  fs::create_directory_symlink(dir.path(), elsewhere / "link");

  const Catalog catalog = scan_dirs({dir.path(), elsewhere / "link", dir.path() + "/./"});

  EXPECT_EQ(catalog.files.size(), 1u);
  EXPECT_EQ(catalog.directories[0].state, "ok");
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_EQ(catalog.directories[i].state, "already listed");
    EXPECT_EQ(catalog.directories[i].path, dir.path());
  }
}

TEST(Case, S10_NamesInAnyScript) {
  const TempDir dir;
  const std::string sub =
      dir / "\xd0\xbf\xd0\xbb\xd0\xb0\xd0\xb3\xd0\xb8\xd0\xbd\xd1\x8b \xe3\x83\x97 \xf0\x9f\x9a\x80";
  fs::create_directory(sub);
  const std::vector<std::string> names = {" blank .so", "not utf-8 \xff\xfe.so", "\xd1\x84\xd0\xb0\xd0\xb9\xd0\xbb.so",
                                          "\xe3\x83\x97\xe3\x83\xa9\xe3\x82\xb0.so", "\xf0\x9f\x9a\x80.so"};
  for (const std::string &name : names) write_file(sub + "/" + name, fixture("good.so"));

  const Catalog catalog = scan_dirs({sub});

  EXPECT_EQ(usable_names(catalog), names);
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(catalog.files[i].file.path, sub + "/" + names[i]);
}

TEST(Case, U2_SixFilesGiveSixRecords) {
  const TempDir dir;
  const std::string good = fixture("good.so");
  write_file(dir / "a_good.so", good);
  write_file(dir / "b_text.so", "only words\n");
  write_file(dir / "c_foreign.so", patched(good, 18, uint16_t{0xabcd}));
  write_file(dir / "d_truncated.so", good.substr(0, 3000));
  write_file(dir / "e_no_symbol.so", fixture("no_plugin.so"));
  fs::create_symlink("a_good.so", dir / "f_duplicate.so");

  const Catalog catalog = scan_dirs({dir.path()});

  ASSERT_EQ(catalog.files.size(), 6u);
  const auto stage = [&](std::size_t i) {
    const auto &failure = catalog.files[i].file.failure;
    return std::string(failure ? stage_word(failure->stage) : stage_word(BKR_STAGE_NONE));
  };
  EXPECT_EQ(catalog.files[0].name, "a_good.so");
  EXPECT_EQ(stage(0), "ok");
  EXPECT_EQ(stage(1), "format");
  EXPECT_EQ(stage(2), "machine");
  EXPECT_EQ(stage(3), "segments");
  EXPECT_EQ(stage(4), "ok");
  EXPECT_FALSE(catalog.files[4].file.described());
  EXPECT_EQ(stage(5), "duplicate");
  EXPECT_EQ(catalog.files[5].name, "f_duplicate.so");
}

TEST(Catalog, FileNamedInPluginPathMayHaveAnyName) {
  const TempDir dir;
  write_file(dir / "plugin.bin", fixture("good.so"));

  const Catalog catalog = scan({{dir / "plugin.bin", Origin::environment}}, {}, {});

  EXPECT_EQ(catalog.directories.at(0).state, "file");
  EXPECT_EQ(usable_names(catalog), std::vector<std::string>{"plugin.bin"});
}

TEST(Catalog, FindsByEveryAbsoluteNameAndOnlyWhatWasSeen) {
  const TempDir dir;
  const TempDir elsewhere;
  write_file(elsewhere / "real.so", fixture("good.so"));
  fs::create_symlink(elsewhere / "real.so", dir / "link.so");

  const Catalog catalog = scan_dirs({dir.path()});

  ASSERT_EQ(catalog.files.size(), 1u);
  EXPECT_EQ(catalog.find(elsewhere / "real.so"), &catalog.files[0]);
  EXPECT_EQ(catalog.find(dir / "link.so"), &catalog.files[0]);
  EXPECT_EQ(catalog.find(dir / "none.so"), nullptr);
  EXPECT_EQ(catalog.find("link.so"), nullptr);
}

TEST(Catalog, OneLevelDeepOnly) {
  const TempDir dir;
  fs::create_directory(dir / "below");
  write_file(dir / "below/good.so", fixture("good.so"));
  EXPECT_TRUE(scan_dirs({dir.path()}).files.empty());
}

}  // namespace
}  // namespace bkr::core::testing
