// SPDX-License-Identifier: Apache-2.0
#include "registry/family_set.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

namespace bkr::core {
namespace {

struct Set {
  Set() : set(nullptr), attention(*set.find("attention")) {}
  std::string path(const char *name) const {
    const QualifiedPath *found = attention.find(name)->effective().path();
    return found ? std::string(found->text()) : "";
  }
  FamilySet set;
  Family &attention;
};

TEST(FamilySet, FindsEachOfManyNames) {
  Set s;
  for (int i = 0; i < 3000; ++i) {
    ASSERT_TRUE(s.set.register_member(s.attention, "NAME" + std::to_string(i), "x.P" + std::to_string(i), false));
  }
  for (int i = 0; i < 3000; ++i) {
    const std::string name = "NAME" + std::to_string(i);
    ASSERT_NE(s.attention.find(name.c_str()), nullptr) << name;
    EXPECT_EQ(s.attention.find(name.c_str())->name(), name);
    EXPECT_EQ(s.attention.find_by_path("x.P" + std::to_string(i))->name(), name);
    EXPECT_EQ(s.attention.at(static_cast<uint32_t>(46 + i))->name(), name);
  }
  EXPECT_EQ(s.attention.find("NAME3000"), nullptr);
  EXPECT_EQ(s.attention.at(46 + 3000), nullptr);
}

// A name's length stands in a byte before it.
TEST(FamilySet, FindsNamesOfAnyLengthAndNoOthers) {
  Set s;
  char letter = 'a';
  for (const std::size_t length : {2u, 7u, 8u, 15u, 16u, 17u, 62u}) {
    const std::string name(length, letter++);
    ASSERT_TRUE(s.set.register_member(s.attention, name, "x.P", false)) << length;
    ASSERT_NE(s.attention.find(name), nullptr) << length;
    EXPECT_EQ(s.attention.find(name)->name(), name);
    EXPECT_EQ(s.attention.find(name + name.front()), nullptr) << length;
    EXPECT_EQ(s.attention.find(name.substr(1)), nullptr) << length;
  }
}

TEST(FamilySet, PathStringsStayWhereTheyAre) {
  Set s;
  Member &member = *s.attention.find("CPU_ATTN");
  ASSERT_TRUE(s.set.override_path(member, "a.B"));
  const char *first = member.effective().path()->c_str();
  ASSERT_TRUE(s.set.override_path(member, "c.D"));
  ASSERT_TRUE(s.set.override_path(member, "a.B"));
  EXPECT_EQ(member.effective().path()->c_str(), first) << "a text seen before is the same string";
  EXPECT_STREQ(first, "a.B");
}

TEST(FamilySet, N6_OneRelativePathInTwoDirectoriesIsTwoFiles) {
  Set s;
  const std::filesystem::path before = std::filesystem::current_path();
  const std::filesystem::path a = std::filesystem::path(::testing::TempDir()) / ("n6a" + std::to_string(getpid()));
  const std::filesystem::path b = std::filesystem::path(::testing::TempDir()) / ("n6b" + std::to_string(getpid()));
  std::filesystem::create_directories(a);
  std::filesystem::create_directories(b);
  Member &one = *s.attention.find("CPU_ATTN");
  Member &two = *s.attention.find("CUSTOM");
  std::filesystem::current_path(a);
  ASSERT_TRUE(s.set.override_path(one, "./x.so"));
  std::filesystem::current_path(b);
  ASSERT_TRUE(s.set.override_path(two, "./x.so"));
  std::filesystem::current_path(before);
  EXPECT_EQ(one.effective().path()->text(), "./x.so");
  EXPECT_EQ(two.effective().path()->text(), "./x.so");
  EXPECT_EQ(one.effective().path()->file(), (a / "x.so").string());
  EXPECT_EQ(two.effective().path()->file(), (b / "x.so").string());
  std::filesystem::remove(a);
  std::filesystem::remove(b);
}

TEST(FamilySet, ARelativePathInADeletedDirectoryIsRefused) {
  Set s;
  const std::filesystem::path before = std::filesystem::current_path();
  const std::filesystem::path gone = std::filesystem::path(::testing::TempDir()) / ("gone" + std::to_string(getpid()));
  std::filesystem::create_directories(gone);
  std::filesystem::current_path(gone);
  std::filesystem::remove(gone);
  const Result<void> result = s.set.override_path(*s.attention.find("CUSTOM"), "./x.so");
  EXPECT_TRUE(s.set.override_path(*s.attention.find("CPU_ATTN"), "/x.so")) << "an absolute one needs no directory";
  std::filesystem::current_path(before);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().status, BKR_BAD_PATH);
  EXPECT_EQ(s.path("CUSTOM"), "");
}

TEST(FamilySet, PathsThatAreRefusedWhenGiven) {
  Set s;
  Member &member = *s.attention.find("CPU_ATTN");
  for (const std::string &bad : {std::string(), std::string("plugins/"), std::string(4096, 'a')}) {
    const Result<void> result = s.set.override_path(member, bad);
    ASSERT_FALSE(result) << bad;
    EXPECT_EQ(result.error().status, BKR_BAD_PATH);
  }
  EXPECT_TRUE(s.set.override_path(member, std::string(4095, 'a')));
  EXPECT_EQ(s.path("CPU_ATTN").size(), 4095u);
}

TEST(FamilySet, TheEnvironmentComesBetweenTheApiAndTheDefault) {
  Set s;
  Member &member = *s.attention.find("CPU_ATTN");
  const std::string default_path = s.path("CPU_ATTN");
  ASSERT_TRUE(s.set.override_path(member, "by.Api"));
  s.set.update({{"BKR_OVERRIDE_ATTENTION_CPU_ATTN", "by.Environment"}}, {});
  EXPECT_EQ(s.path("CPU_ATTN"), "by.Api");
  s.set.clear_override(member);
  EXPECT_EQ(s.path("CPU_ATTN"), "by.Environment");
  EXPECT_EQ(member.effective().tag(), PathSource::environment);
  s.set.clear_override(member);
  EXPECT_EQ(s.path("CPU_ATTN"), "by.Environment") << "clear takes back the API's only";
  ASSERT_TRUE(s.set.override_path(member, default_path));
  EXPECT_EQ(s.path("CPU_ATTN"), default_path) << "the default past the environment";
  s.set.clear_override(member);
  s.set.update({}, {});
  EXPECT_EQ(s.path("CPU_ATTN"), default_path);
}

TEST(FamilySet, N8_TheEnvironmentIsAppliedWhenAMemberAppears) {
  Set s;
  s.set.update({{"BKR_OVERRIDE_ATTENTION_LATER", "by.Environment"}}, {});
  const Result<Member *> member = s.set.register_member(s.attention, "LATER", "by.Default", false);
  ASSERT_TRUE(member);
  EXPECT_EQ(s.path("LATER"), "by.Environment");
}

TEST(FamilySet, ARelativePathOfTheEnvironmentIsFixedWhenItIsRead) {
  Set s;
  const std::filesystem::path before = std::filesystem::current_path();
  s.set.update({{"BKR_OVERRIDE_ATTENTION_LATER", "./mine.so"}}, {});
  std::filesystem::current_path("/");
  const Result<Member *> member = s.set.register_member(s.attention, "LATER", "by.Default", false);
  std::filesystem::current_path(before);
  ASSERT_TRUE(member);
  EXPECT_EQ((*member)->effective().path()->file(), (before / "mine.so").string());
}

TEST(FamilySet, N7_OneVariableMayNameTwoMembers) {
  Set s;
  s.set.update({{"BKR_OVERRIDE_MLA_PREFILL_CPU", "by.Environment"}}, {});
  std::vector<std::string> warnings;
  const Result<Family *> mla = s.set.add_family("mla", "mla backend", {}, warnings);
  ASSERT_TRUE(mla);
  const Result<Member *> member = s.set.register_member(**mla, "PREFILL_CPU", "by.Default", false);
  ASSERT_TRUE(member);
  EXPECT_EQ((*member)->effective().path()->text(), "by.Environment");
  EXPECT_EQ(s.set.find("mla_prefill")->find("CPU")->effective().path()->text(), "by.Environment");
}

TEST(FamilySet, AnEnvironmentPathThatIsRefusedDoesNotGiveWayToTheDefault) {
  Set s;
  s.set.update({{"BKR_OVERRIDE_ATTENTION_CPU_ATTN", "plugins/"}}, {});
  const TaggedPath<PathSource> path = s.attention.find("CPU_ATTN")->effective();
  EXPECT_EQ(path.tag(), PathSource::environment);
  EXPECT_EQ(path.path()->text(), "plugins/");
  EXPECT_EQ(path.path()->kind(), PathKind::word) << "so that resolving it fails";
}

TEST(FamilySet, ANameThatARecordBroughtFollowsItAndYieldsToTheHost) {
  Set s;
  EXPECT_TRUE(s.set.update({}, {{"attention", "DYN", "rec.One", "/a.so"}}).empty());
  Member *member = s.attention.find("DYN");
  ASSERT_NE(member, nullptr);
  EXPECT_EQ(s.path("DYN"), "rec.One");
  EXPECT_TRUE(s.set.update({}, {{"attention", "DYN", "rec.Two", "/a.so"}}).empty());
  EXPECT_EQ(s.path("DYN"), "rec.Two") << "a rescan";
  EXPECT_EQ(s.attention.find_by_path("rec.Two"), member);
  EXPECT_EQ(s.attention.find_by_path("rec.One"), nullptr);
  EXPECT_TRUE(s.set.update({}, {}).empty());
  EXPECT_EQ(s.attention.find("DYN"), member) << "a rescan removes nobody";

  const Result<Member *> taken = s.set.register_member(s.attention, "DYN", "host.Path", false);
  ASSERT_TRUE(taken);
  EXPECT_EQ(*taken, member) << "N1: the same handle";
  EXPECT_EQ(s.path("DYN"), "host.Path");
  s.set.update({}, {{"attention", "DYN", "rec.Three", "/a.so"}});
  EXPECT_EQ(s.path("DYN"), "host.Path") << "no file changes a name of the host's";
  EXPECT_FALSE(s.set.register_member(s.attention, "DYN", "again.Path", false));
}

TEST(FamilySet, N2_ARecordDoesNotTakeOverABuiltInPath) {
  Set s;
  const std::string default_path = s.path("CPU_ATTN");
  s.set.update({}, {{"attention", "DYN", default_path, "/a.so"}});
  ASSERT_NE(s.attention.find("DYN"), nullptr);
  EXPECT_STREQ(s.attention.find_by_path(default_path)->name(), "CPU_ATTN");
}

TEST(FamilySet, N3_OfTwoRecordsWithOneNewNameTheFirstDecides) {
  Set s;
  const std::vector<std::string> warnings =
      s.set.update({}, {{"attention", "DYN", "rec.One", "/a.so"}, {"attention", "DYN", "rec.Two", "/b.so"}});
  EXPECT_EQ(s.path("DYN"), "rec.One");
  ASSERT_EQ(warnings.size(), 1u);
  for (const char *word : {"/a.so", "/b.so", "BKR_DISABLE"}) {
    EXPECT_NE(warnings.front().find(word), std::string::npos) << warnings.front();
  }
}

TEST(FamilySet, ReadersSeeWholePathsWhileAWriterOverrides) {
  Set s;
  Member &member = *s.attention.find("CPU_ATTN");
  std::atomic<bool> stop{false};
  std::atomic<int> torn{0};
  std::vector<std::thread> readers;
  for (int t = 0; t < 2; ++t) {
    readers.emplace_back([&] {
      while (!stop) {
        const TaggedPath<PathSource> path = member.effective();
        const std::string text(path.path()->text());
        const bool is_api = path.tag() == PathSource::api;
        if (is_api != (text == "a.B" || text == "c.D")) ++torn;
        if (s.attention.find("CPU_ATTN") != &member) ++torn;
      }
    });
  }
  for (int i = 0; i < 2000; ++i) {
    ASSERT_TRUE(s.set.override_path(member, i % 2 ? "a.B" : "c.D"));
    ASSERT_TRUE(s.set.register_member(s.attention, "NEW" + std::to_string(i), "x.Y", false));
    if (i % 3 == 0) s.set.clear_override(member);
  }
  stop = true;
  for (std::thread &reader : readers) reader.join();
  EXPECT_EQ(torn, 0);
}

}  // namespace
}  // namespace bkr::core
