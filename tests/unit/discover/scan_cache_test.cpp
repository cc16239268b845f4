// SPDX-License-Identifier: Apache-2.0
// The scan cache is used while files are the same, and is as if it were not there when anything is not as it should be.
#include "discover/scan_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "fixture.h"

namespace bkr::core {
namespace {

using testing::fixture;
using testing::read_file;
using testing::TempDir;
using testing::write_file;

constexpr std::chrono::nanoseconds kHour = std::chrono::hours(1);

int64_t after(std::chrono::nanoseconds time) {
  return (std::chrono::system_clock::now().time_since_epoch() + time).count();
}

FileFacts facts_of(const std::string &path) {
  FileFacts facts;
  read_facts(*FileReader::open(path), facts);
  return facts;
}

// A directory of plugins, and one for the cache; scans happen an hour after the files were made.
class ScanCacheRules : public ::testing::Test {
 protected:
  void SetUp() override { write_file(plugins / "good.so", fixture("good.so")); }

  ScanCache open(std::chrono::nanoseconds later = kHour) const { return ScanCache(home / "cache", after(later)); }

  Catalog scan_with(ScanCache &cache) const {
    return scan({{plugins.path(), Origin::config}}, InspectRules{}, Filters{}, &cache);
  }
  // A scan as a registry makes it.
  Catalog scan_and_keep() const {
    ScanCache cache = open();
    Catalog catalog = scan_with(cache);
    EXPECT_TRUE(cache.write());
    return catalog;
  }
  bool knows(const FileIdentity &identity) const {
    FileFacts facts;
    return open().find(identity, facts);
  }
  std::string file() const {
    for (const auto &entry : std::filesystem::directory_iterator(home / "cache")) return entry.path().string();
    return "";
  }
  // Puts other facts into the cache for a file, which only who uses the cache can know.
  void mark(const std::string &path) const {
    ScanCache cache = open();
    FileFacts facts = facts_of(path);
    facts.descriptor->version = "from the cache";
    cache.keep(*identify(path), facts);
    EXPECT_TRUE(cache.write());
  }
  bool is_used() const {
    ScanCache cache = open();
    const Catalog catalog = scan_with(cache);
    return catalog.files.at(0).file.descriptor->version == "from the cache";
  }

  TempDir plugins, home;
};

TEST_F(ScanCacheRules, WhatItKnowsIsNotReadAgain) {
  EXPECT_FALSE(is_used());
  mark(plugins / "good.so");
  EXPECT_TRUE(is_used());
}

TEST_F(ScanCacheRules, AScanFromItIsTheSameScan) {
  for (const char *name : {"undescribed.so", "foreign_cpu.so", "two_descriptors.so", "debug_data.so", "pie"}) {
    write_file(plugins / (std::string(name) + ".so"), fixture(name));
  }
  write_file(plugins / "text.so", "no library");
  write_file(plugins / "cut.so", fixture("good.so").substr(0, 3000));
  const Catalog first = scan_and_keep();
  const Catalog second = scan_and_keep();
  ASSERT_EQ(first.files.size(), 8u);
  ASSERT_EQ(second.files.size(), first.files.size());
  for (std::size_t i = 0; i < first.files.size(); ++i) {
    const PluginFile &a = first.files[i].file;
    const PluginFile &b = second.files[i].file;
    EXPECT_EQ(a.path, b.path);
    EXPECT_EQ(a.identity, b.identity);
    EXPECT_EQ(encode({a.image, a.descriptor}), encode({b.image, b.descriptor})) << a.path;
    EXPECT_EQ(a.failure.has_value(), b.failure.has_value()) << a.path;
    if (a.failure) {
      EXPECT_EQ(a.failure->text(), b.failure->text());
    }
  }
  for (const CatalogFile &known : first.files) EXPECT_TRUE(knows(known.file.identity)) << known.file.path;
}

TEST_F(ScanCacheRules, AChangedFileIsReadAgain) {
  mark(plugins / "good.so");
  const std::string bytes = read_file(plugins / "good.so");
  write_file(plugins / "good.so", bytes);  // the same bytes at another time
  EXPECT_FALSE(is_used());
  mark(plugins / "good.so");
  EXPECT_TRUE(is_used());
  write_file(plugins / "new.so", bytes);
  std::filesystem::rename(plugins / "new.so", plugins / "good.so");  // another inode
  EXPECT_FALSE(is_used());
}

TEST_F(ScanCacheRules, AFailureIsKeptUntilTheFileChanges) {
  write_file(plugins / "bad.so", "no library");
  scan_and_keep();
  EXPECT_EQ(scan_and_keep().files.at(0).file.failure->status, BKR_BAD_FILE);
  write_file(plugins / "bad.so", fixture("good.so"));
  EXPECT_TRUE(scan_and_keep().files.at(0).file.usable());
}

// A linker that writes through a mapping leaves no trace of its last bytes in the file's times for half a minute.
TEST_F(ScanCacheRules, AFileThatMayStillBeWrittenIsNotKept) {
  write_file(plugins / "half.so", "half a library");
  write_file(plugins / "undescribed.so", fixture("undescribed.so"));
  const auto kept_after = [&](std::chrono::nanoseconds time) {
    ScanCache cache = open(time);
    scan_with(cache);
    return cache.has_news();
  };
  EXPECT_FALSE(kept_after(std::chrono::seconds(50)));
  EXPECT_TRUE(kept_after(std::chrono::seconds(70)));
}

TEST_F(ScanCacheRules, AFileThatChangedAMomentAgoIsNotKept) {
  ScanCache cache(home / "cache");  // now
  scan_with(cache);
  EXPECT_TRUE(cache.write());
  EXPECT_FALSE(std::filesystem::exists(home / "cache")) << "there is nothing to write";
}

// squashfs: both times are those of the image.
TEST_F(ScanCacheRules, AFileOfAMountedImageIsNotKept) {
  ScanCache cache = open();
  FileIdentity of_image = *identify(plugins / "good.so");
  of_image.mtime_ns = of_image.ctime_ns = 1'700'000'000'000'000'000;
  cache.keep(of_image, facts_of(plugins / "good.so"));
  EXPECT_FALSE(cache.has_news());
}

TEST_F(ScanCacheRules, WhatItKnowsOfOtherDirectoriesStays) {
  TempDir elsewhere;
  write_file(elsewhere / "other.so", fixture("good_cpp.so"));
  {
    ScanCache cache = open();
    scan({{elsewhere.path(), Origin::config}}, InspectRules{}, Filters{}, &cache);
    EXPECT_TRUE(cache.write());
  }
  scan_and_keep();
  EXPECT_TRUE(knows(*identify(elsewhere / "other.so")));
  EXPECT_TRUE(knows(*identify(plugins / "good.so")));
}

TEST_F(ScanCacheRules, AFileThatIsGoneIsForgottenInTheEnd) {
  write_file(plugins / "gone.so", fixture("good_cpp.so"));
  const FileIdentity gone = *identify(plugins / "gone.so");
  scan_and_keep();
  std::filesystem::remove(plugins / "gone.so");
  for (int changes = 0; changes < 10; ++changes) mark(plugins / "good.so");
  EXPECT_TRUE(knows(gone)) << "its directory may be another program's";
  for (int changes = 0; changes < 10; ++changes) mark(plugins / "good.so");
  EXPECT_FALSE(knows(gone));
  EXPECT_TRUE(is_used());
}

TEST_F(ScanCacheRules, APluginOfVeryManyRecordsIsReadEachTime) {
  ScanCache cache = open();
  FileFacts facts = facts_of(plugins / "good.so");
  facts.descriptor->records.resize(1024, facts.descriptor->records.at(0));
  cache.keep(*identify(plugins / "good.so"), facts);
  EXPECT_FALSE(cache.has_news());
}

TEST_F(ScanCacheRules, UselessBytesAreAsNoCache) {
  mark(plugins / "good.so");
  const std::string whole = read_file(file());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_file(file(), whole.substr(0, size));
    EXPECT_FALSE(knows(*identify(plugins / "good.so"))) << size << " bytes of " << whole.size();
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    write_file(file(), damaged);
    EXPECT_FALSE(knows(*identify(plugins / "good.so"))) << "byte " << at;
  }
  write_file(file(), whole + "more");
  EXPECT_FALSE(is_used());
  write_file(file(), whole);
  EXPECT_TRUE(is_used());
}

TEST_F(ScanCacheRules, FactsFromDamagedBytesAreNoneOrSound) {
  const std::string whole = encode(facts_of(plugins / "good.so"));
  const auto decoded = [](std::string_view bytes) {
    FileFacts facts;
    return decode(bytes, facts) ? std::optional(std::move(facts)) : std::nullopt;
  };
  ASSERT_TRUE(decoded(whole));
  EXPECT_FALSE(decoded(whole + '\0'));
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(decoded(whole.substr(0, size))) << size;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int value : {0, 1, 0x7f, 0xff}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(value);
      const std::optional<FileFacts> facts = decoded(damaged);
      if (facts) {
        EXPECT_EQ(encode(*facts), damaged) << at;
      }
    }
  }
}

TEST_F(ScanCacheRules, WhatOthersMayWriteIsNotTrusted) {
  mark(plugins / "good.so");
  for (const mode_t mode : {0660u, 0606u}) {
    ::chmod(file().c_str(), mode);
    EXPECT_FALSE(is_used()) << std::oct << mode;
  }
  ::chmod(file().c_str(), 0644);
  EXPECT_TRUE(is_used());
  ::chmod((home / "cache").c_str(), 0777);
  EXPECT_FALSE(is_used());
  ScanCache cache = open();
  scan_with(cache);
  const Result<void> written = cache.write();
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().status, BKR_DENIED);
}

TEST_F(ScanCacheRules, WhatBelongsToAnotherUserIsNotTrusted) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  mark(plugins / "good.so");
  ASSERT_EQ(::chown(file().c_str(), 65534, 65534), 0);
  EXPECT_FALSE(is_used());
  ASSERT_EQ(::chown(file().c_str(), 0, 0), 0);
  EXPECT_TRUE(is_used());
  ASSERT_EQ(::chown((home / "cache").c_str(), 65534, 65534), 0);
  EXPECT_FALSE(is_used());
}

TEST_F(ScanCacheRules, ALinkOrAPipeInItsPlaceIsAsNoCache) {
  mark(plugins / "good.so");
  const std::string path = file();
  std::filesystem::rename(path, home / "elsewhere");
  std::filesystem::create_symlink(home / "elsewhere", path);
  EXPECT_FALSE(is_used());
  std::filesystem::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(is_used());
}

TEST_F(ScanCacheRules, ADirectoryThatCannotBeMadeIsSaid) {
  write_file(home / "cache", "a file");
  ScanCache cache = open();
  scan_with(cache);
  const Result<void> written = cache.write();
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().text().find(home / "cache"), std::string::npos);
}

}  // namespace
}  // namespace bkr::core
