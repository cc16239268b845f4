// SPDX-License-Identifier: Apache-2.0
// One file under several names, names in other letters than these, and what cannot be read.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "child.h"
#include "loading_fixture.h"

namespace loading {
namespace {

namespace fs = std::filesystem;

TEST(Loading, S9_OneFileUnderFourNamesIsOnePlugin) {
  const TempDir dir;
  const std::string file = dir.drop(built("good"), "f.so");
  fs::create_symlink(file, dir / "link.so");
  fs::create_hard_link(file, dir / "hard.so");
  const Variable path("BKR_PLUGIN_PATH", dir.path() + ":" + dir.path() + "//f.so:" + dir / "link.so");
  const Registry registry;

  const Json files = registry.report()["files"];
  const auto counted = std::count_if(files.begin(), files.end(), [](const Json &f) { return f["stage"] == "ok"; });
  EXPECT_EQ(counted, 1) << files.dump(1);
  for (const Json &entry : files) EXPECT_TRUE(entry["stage"] == "ok" || entry["stage"] == "duplicate") << entry;
  EXPECT_TRUE(registry.log().empty()) << registry.log()[0].text;

  // Whichever name it is asked for by, its code is in the process once, and of one set of statics.
  const Made by_name = registry.open("GOOD");
  ASSERT_TRUE(ok(by_name.answer));
  for (const std::string &name : {file, dir.path() + "//f.so", dir / "link.so", dir / "hard.so", dir / "./f.so",
                                  std::string("f.so"), std::string("link.so"), std::string("hard.so")}) {
    const Made made = registry.open_path(name);
    ASSERT_TRUE(ok(made.answer)) << name;
    EXPECT_EQ(&made.backend.probe(), &by_name.backend.probe()) << name;
  }
  EXPECT_EQ(mapped_in(dir).size(), 1u);
  EXPECT_EQ(code_that_ran_in(dir).size(), 1u);
}

TEST(Loading, S9_OneFileIsOneOpeningForAllRegistries) {
  const TempDir dir;
  const TempDir other;
  const std::string file = dir.drop(built("good"), "f.so");
  fs::create_hard_link(file, other / "g.so");
  const Registry first(dir);
  const Registry second(other);

  const Made a = first.open("GOOD");
  const Made b = second.open("GOOD");

  ASSERT_TRUE(ok(a.answer));
  ASSERT_TRUE(ok(b.answer));
  EXPECT_EQ(&a.backend.probe(), &b.backend.probe());
  EXPECT_EQ(mapped_in(dir).size() + mapped_in(other).size(), 1u);
}

TEST(Loading, S10_NamesWithBlanksAndLettersOfTheWorld) {
  const TempDir dir;
  const std::string odd = dir / "два слова 二つの 🚀";
  fs::create_directory(odd);
  fs::copy_file(dir.drop(built("good"), "x"), odd + "/плагин один 🐍.so");
  const Registry registry(Configuration{{odd}});

  EXPECT_EQ(registry.file("плагин один 🐍.so")["path"], odd + "/плагин один 🐍.so");
  const Made made = registry.open("GOOD");
  ASSERT_TRUE(ok(made.answer));
  EXPECT_EQ(made.backend.probe().file(), odd + "/плагин один 🐍.so");
  EXPECT_TRUE(ok(registry.open_path(odd + "/плагин один 🐍.so::create_backend").answer));
}

TEST(Loading, S10_NameThatIsNotUtf8) {
  const TempDir dir;
  const std::string name = "caf\xe9.so";
  dir.drop(built("good"), name);
  const Registry registry(dir);

  EXPECT_TRUE(ok(registry.open("GOOD").answer));
  const Json entry = registry.report()["files"][0];
  EXPECT_EQ(entry["path"], dir / "caf\xef\xbf\xbd.so");
  EXPECT_TRUE(has(std::string(entry["path_bytes"]), {"636166e92e736f"}));
}

TEST(Loading, S10_NameThatTheSystemsLoaderWouldExpand) {
  // dlopen() takes $LIB, $PLATFORM and $ORIGIN in a path for variables. What is opened must be what was read; if the
  // system does not let it be opened, the text must say why.
  for (const std::string word : {"$LIB", "${LIB}", "$PLATFORM", "${PLATFORM}", "$ORIGIN", "${ORIGIN}"}) {
    const TempDir dir;
    fs::create_directory(dir / word);
    const std::string file = dir.drop(built("good").with_code("wanted"), word + "/good.so");
    for (const std::string decoy : {"lib", "lib64", "lib/x86_64-linux-gnu", "x86_64", "haswell", "xeon_phi"}) {
      fs::create_directories(dir / decoy);
      dir.drop(built("good").with_code("decoy"), decoy + "/good.so");
    }
    const Registry registry(Configuration{{dir / word}});
    const Made made = registry.open("GOOD");
    if (made.answer.status == BKR_OK) {
      EXPECT_EQ(made.backend.code(), "wanted") << word;
    } else {
      EXPECT_TRUE(has(made.answer.text, {file, "'" + word + "'"})) << word;
      EXPECT_TRUE(mapped_in(dir).empty()) << word;
    }
  }
}

TEST(Loading, S10_DollarThatMeansNothingIsJustALetter) {
  const TempDir dir;
  const std::string file = dir.drop(built("good"), "ca$h $.so");
  const Registry registry(dir);
  const Made made = registry.open("GOOD");
  ASSERT_TRUE(ok(made.answer));
  EXPECT_EQ(made.backend.probe().file(), file);
}

TEST(Loading, S11_WhatCannotBeReadIsPassedOver) {
  const TempDir dir;
  dir.drop(built("good"), "good.so");
  dir.drop(built("good").named("SECRET"), "secret.so");
  ::chmod((dir / "secret.so").c_str(), 0);
  fs::create_symlink(dir / "nowhere", dir / "dangling.so");
  fs::create_symlink(dir / "loop_b.so", dir / "loop_a.so");
  fs::create_symlink(dir / "loop_a.so", dir / "loop_b.so");
  fs::create_directory(dir / "closed");
  ::chmod((dir / "closed").c_str(), 0);
  EXPECT_TRUE(in_child_without_root([&] {
                const Registry registry(Configuration{{dir / "closed", dir.path()}});
                EXPECT_EQ(registry.report()["directories"][0]["state"], "denied");
                for (const auto &[name, status] :
                     {std::pair("secret.so", "BKR_IO_ERROR"), std::pair("dangling.so", "BKR_NOT_FOUND"),
                      std::pair("loop_a.so", "BKR_IO_ERROR")}) {
                  const Json entry = registry.file(name);
                  EXPECT_EQ(entry["stage"], "open") << name;
                  EXPECT_EQ(entry["status"], status) << name;
                  EXPECT_TRUE(entry["reason"].is_string()) << name;
                }
                EXPECT_TRUE(ok(registry.open("GOOD").answer));
                EXPECT_TRUE(failed(registry.load_path(dir / "secret.so"), BKR_IO_ERROR, BKR_STAGE_OPEN,
                                   {dir / "secret.so", "Permission denied"}));
              }).ended_well());
  ::chmod((dir / "closed").c_str(), 0755);
}

TEST(Loading, S11_FileRemovedBetweenScanAndLoad) {
  const TempDir dir;
  const std::string file = dir.drop(built("good"), "good.so");
  dir.drop(built("good").named("STAYS"), "stays.so");
  const Registry registry(dir);
  fs::remove(file);

  EXPECT_TRUE(failed(registry.load("GOOD"), BKR_STALE, BKR_STAGE_LOAD, {file, "gone", "Rescan"}));
  EXPECT_TRUE(ok(registry.open("STAYS").answer));

  ASSERT_TRUE(ok(registry.rescan()));
  EXPECT_TRUE(failed(registry.load("GOOD"), BKR_NOT_FOUND, BKR_STAGE_NONE, {path_of("good"), dir.path()}));
}

}  // namespace
}  // namespace loading
