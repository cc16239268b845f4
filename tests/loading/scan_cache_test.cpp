// SPDX-License-Identifier: Apache-2.0
// What is kept of a scan for the next one: when it is, and that nobody can tell but by the files that are not opened.
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "child.h"
#include "loading_fixture.h"

namespace loading {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

// The files of a directory that anybody opened since.
class Opened {
 public:
  explicit Opened(const TempDir &dir) : watch_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    EXPECT_GE(::inotify_add_watch(watch_, dir.path().c_str(), IN_OPEN | IN_CREATE), 0);
  }
  ~Opened() { ::close(watch_); }
  Opened(const Opened &) = delete;
  Opened &operator=(const Opened &) = delete;

  Names names() const {
    Names names;
    alignas(inotify_event) char buffer[4096];
    for (ssize_t size = 0; (size = ::read(watch_, buffer, sizeof buffer)) > 0;) {
      for (const char *at = buffer; at < buffer + size;) {
        const auto *event = reinterpret_cast<const inotify_event *>(at);
        if (event->len > 0) names.insert(event->name);
        at += sizeof *event + event->len;
      }
    }
    return names;
  }

 private:
  int watch_;
};

class ScanCache : public testing::Test {
 protected:
  ScanCache() : cache_home_("XDG_CACHE_HOME", home / "cache") {
    dir.drop(built("good"), "good.so");
    dir.drop("no library", "text.so");
  }

  // The files that a registry opened; it is as one without a cache.
  Names opened_by(uint32_t flags = BKR_CONFIG_SCAN_CACHE) const {
    const Opened opened(dir);
    Json report = Registry({{dir.path()}, flags}).report();
    Names names = opened.names();
    const Variable off("BKR_CACHE", "");
    Json plain = Registry({{dir.path()}}).report();
    for (Json *document : {&report, &plain}) document->erase("environment");
    EXPECT_EQ(report, plain);
    return names;
  }
  std::string file() const {
    for (const auto &entry : fs::directory_iterator(home / "cache/backend_registry")) return entry.path().string();
    return "";
  }
  bool is_there() const { return fs::exists(home / "cache"); }

  const Names all = {"good.so", "text.so"}, none = {};
  TempDir dir, home;

 private:
  Variable cache_home_;
};

TEST_F(ScanCache, IsOffUnlessAskedFor) {
  dir.settle();
  EXPECT_EQ(opened_by(0), all);
  const Variable off("BKR_CACHE", "0");
  EXPECT_EQ(opened_by(), all);
  const Variable on("BKR_CACHE", "1");
  EXPECT_EQ(opened_by(BKR_CONFIG_NO_ENVIRONMENT), all);
  EXPECT_FALSE(is_there());
}

TEST_F(ScanCache, KeepsFilesClosedThatAreTheSame) {
  dir.settle();
  EXPECT_EQ(opened_by(), all);
  EXPECT_EQ(opened_by(), none);
  EXPECT_EQ(opened_by(0), all);
  const Variable on("BKR_CACHE", "1");
  EXPECT_EQ(opened_by(0), none);
  EXPECT_EQ(fs::status(file()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(ScanCache, AnotherValueOfItsVariableIsWarnedAbout) {
  const Variable wrong("BKR_CACHE", "yes");
  const Registry registry(dir);
  EXPECT_EQ(registry.logged({"BKR_CACHE is 'yes'", "1"}), 1);
}

TEST_F(ScanCache, ReadsAChangedFileAnew) {
  dir.settle();
  opened_by();
  const std::string good = dir / "good.so", text = dir / "text.so";
  ASSERT_EQ(::chmod(good.c_str(), 0600), 0);  // another ctime, and nothing else
  EXPECT_EQ(opened_by(), Names{"good.so"});
  fs::last_write_time(text, fs::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_EQ(opened_by(), all);         // good.so: its ctime is too young to be kept
  dir.drop(built("good"), "text.so");  // another inode, and a failure that is none any more
  EXPECT_EQ(opened_by(), all);
  dir.settle();
  EXPECT_EQ(opened_by(), all);
  EXPECT_EQ(opened_by(), none);
  dir.drop("another text", "text.so");
  EXPECT_EQ(opened_by(), Names{"text.so"});
}

TEST_F(ScanCache, AFileThatWasReplacedSinceIsStale) {
  dir.settle();
  opened_by();
  const Registry registry({{dir.path()}, BKR_CONFIG_SCAN_CACHE});
  const std::string file = dir.drop(built("good").with_code("new code"), "good.so");
  EXPECT_TRUE(failed(registry.load("GOOD"), BKR_STALE, BKR_STAGE_LOAD, {file, "Rescan"}));
  EXPECT_TRUE(ok(registry.rescan()));
  const Made made = registry.open("GOOD");
  ASSERT_TRUE(ok(made.answer));
  EXPECT_EQ(made.backend.code(), "new code");
}

TEST_F(ScanCache, LoadsFromWhatItKnows) {
  dir.settle();
  opened_by();
  const Registry registry({{dir.path()}, BKR_CONFIG_SCAN_CACHE});
  EXPECT_TRUE(ok(registry.open("GOOD").answer));
  EXPECT_EQ(registry.load_path(dir / "text.so").status, BKR_BAD_FILE);
}

TEST_F(ScanCache, OwnersAndRightsAreJudgedAnew) {
  ASSERT_EQ(::chmod((dir / "good.so").c_str(), 0666), 0);
  dir.settle();
  opened_by();
  EXPECT_EQ(opened_by(), none);
  const Registry strict({{dir.path()}, BKR_CONFIG_SCAN_CACHE | BKR_CONFIG_STRICT});
  EXPECT_EQ(strict.file("good.so")["status"], "BKR_DENIED");
  const Variable disabled("BKR_DISABLE", "good*");
  EXPECT_EQ(Registry({{dir.path()}, BKR_CONFIG_SCAN_CACHE}).file("good.so")["status"], "BKR_DENIED");
}

TEST_F(ScanCache, UselessOrForeignBytesAreReplaced) {
  dir.settle();
  opened_by();
  const std::string known = file();
  const std::string name = last_component(known);
  const auto spoil = [&](const auto &how) {
    how();
    EXPECT_EQ(opened_by(), all);
    EXPECT_EQ(opened_by(), none);
  };
  spoil([&] { fs::resize_file(known, 100); });
  spoil([&] { fs::resize_file(known, 0); });
  spoil([&] { std::ofstream(known) << std::string(5000, 'x'); });
  spoil([&] { fs::permissions(known, fs::perms::others_write, fs::perm_options::add); });
  spoil([&] {
    std::fstream bytes(known, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(24).put('9');  // of the version
  });
  spoil([&] {
    fs::remove(known);
    fs::create_symlink("/etc/hostname", known);
  });
  if (::geteuid() == 0) spoil([&] { ASSERT_EQ(::chown(known.c_str(), 65534, 65534), 0); });
  EXPECT_EQ(last_component(file()), name);
}

TEST_F(ScanCache, ADirectoryThatOthersMayWriteIsNotUsed) {
  dir.settle();
  opened_by();
  const auto before = fs::last_write_time(file());
  ASSERT_EQ(::chmod((home / "cache/backend_registry").c_str(), 0777), 0);
  EXPECT_EQ(opened_by(), all);
  const Registry registry({{dir.path()}, BKR_CONFIG_SCAN_CACHE, BKR_LOG_INFO});
  EXPECT_EQ(registry.logged({"The scan is not kept", home / "cache/backend_registry", "XDG_CACHE_HOME"}), 1);
  EXPECT_EQ(fs::last_write_time(file()), before);
}

TEST_F(ScanCache, WhereItCannotBeWrittenOnlyInfoIsLogged) {
  home.drop("a file", "cache");
  dir.settle();
  const Registry registry({{dir.path()}, BKR_CONFIG_SCAN_CACHE, BKR_LOG_INFO});
  EXPECT_EQ(registry.logged({"The scan is not kept", home / "cache"}), 1);
  EXPECT_TRUE(ok(registry.load("GOOD")));
  EXPECT_EQ(opened_by(), all);
}

TEST_F(ScanCache, IsNeverAmongPlugins) {
  dir.settle();
  const auto files = [&] { return std::distance(fs::recursive_directory_iterator(dir.path()), {}); };
  fs::create_directory_symlink(dir.path(), home / "link");
  for (const std::string &place : {dir.path(), dir / "below", home / "link"}) {
    const Variable there("XDG_CACHE_HOME", place);
    EXPECT_EQ(opened_by(), all) << place;
    EXPECT_EQ(opened_by(), all) << place;
    EXPECT_EQ(files(), 2) << place;
  }
}

TEST_F(ScanCache, ARelativePlaceIsAsNone) {
  dir.settle();
  const Variable relative("XDG_CACHE_HOME", "cache");
  const Variable user("HOME", home.path());
  opened_by();
  EXPECT_EQ(opened_by(), none);
  EXPECT_TRUE(fs::exists(home / ".cache/backend_registry"));
}

TEST_F(ScanCache, ElevatedProcessNeitherReadsNorWritesIt) {
  dir.settle();
  const TempDir program, again;
  const auto report = [&](const TempDir &where) {
    return run_elevated_child(where.path(), {"report", dir.path()},
                              {{"BKR_CACHE", "1"}, {"XDG_CACHE_HOME", home / "cache"}, {"HOME", home.path()}});
  };
  const Child child = report(program);
  if (child.exit_code == kCannotElevate) GTEST_SKIP() << "no program can be made elevated here";
  EXPECT_TRUE(child.ended_well());
  EXPECT_FALSE(is_there());
  opened_by();
  ASSERT_EQ(opened_by(), none);
  const Opened opened(dir);
  EXPECT_TRUE(report(again).ended_well());
  EXPECT_EQ(opened.names(), all);
}

TEST_F(ScanCache, ProcessesMayWriteItAtOnce) {
  for (int i = 0; i < 50; ++i) dir.drop(built("good").named("NAME_" + std::to_string(i)), std::to_string(i) + ".so");
  dir.settle();
  std::vector<pid_t> processes;
  for (int i = 0; i < 4; ++i) {
    processes.push_back(::fork());
    if (processes.back() != 0) continue;
    for (int round = 0; round < 20; ++round) {
      Registry({{dir.path()}, BKR_CONFIG_SCAN_CACHE}).close();
      std::error_code busy;  // another one may be writing
      if (i == 0) fs::remove_all(home / "cache", busy);
    }
    ::_exit(HasFailure() ? 1 : 0);
  }
  for (const pid_t process : processes) EXPECT_TRUE(ended_well(process));
  opened_by();
  EXPECT_EQ(opened_by(), none);
}

TEST_F(ScanCache, WhatADeadWriterLeftIsNoHindrance) {
  dir.settle();
  opened_by();
  const std::string left = file() + ".new";
  fs::remove(file());
  std::ofstream(left) << "half a fi";
  EXPECT_EQ(opened_by(), all);
  EXPECT_EQ(opened_by(), all);  // it may still be writing
  fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::minutes(2));
  EXPECT_EQ(opened_by(), all);
  EXPECT_EQ(opened_by(), none);
  EXPECT_FALSE(fs::exists(left));
}

}  // namespace
}  // namespace loading
