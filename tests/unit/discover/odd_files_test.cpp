// SPDX-License-Identifier: Apache-2.0
// Directory entries that are not files, cannot be read, or must not be opened.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>

#include "fixture.h"

namespace bkr::core::testing {
namespace {

namespace fs = std::filesystem;

const PluginFile &named(const Catalog &catalog, std::string_view name) {
  const auto found = std::find_if(catalog.files.begin(), catalog.files.end(),
                                  [&](const CatalogFile &entry) { return entry.name == name; });
  EXPECT_NE(found, catalog.files.end()) << name;
  return found == catalog.files.end() ? catalog.files.front().file : found->file;
}

void expect_passed_over(const Catalog &catalog, std::string_view name, bkr_status status, std::string_view words) {
  const PluginFile &file = named(catalog, name);
  ASSERT_TRUE(file.failure) << name;
  EXPECT_EQ(status_name(file.failure->status), std::string(status_name(status))) << name;
  EXPECT_EQ(file.failure->stage, BKR_STAGE_OPEN) << name;
  EXPECT_NE(file.failure->reason.find(words), std::string::npos) << file.failure->reason;
}

TEST(Case, F2_EntriesThatAreNotRegularFilesArePassedOver) {
  const TempDir dir;
  write_file(dir / "good.so", fixture("good.so"));
  fs::create_directory(dir / "x.so");
  ASSERT_EQ(::mkfifo((dir / "y.so").c_str(), 0644), 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string socket_name = dir / "z.so";
  ASSERT_LT(socket_name.size(), sizeof address.sun_path);
  std::memcpy(address.sun_path, socket_name.c_str(), socket_name.size() + 1);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
  fs::create_symlink("/dev/zero", dir / "zero.so");

  const Catalog catalog = scan_dirs({dir.path()});
  ::close(socket);

  expect_passed_over(catalog, "x.so", BKR_BAD_FILE, "a directory");
  expect_passed_over(catalog, "y.so", BKR_BAD_FILE, "a named pipe");
  expect_passed_over(catalog, "z.so", BKR_BAD_FILE, "a socket");
  expect_passed_over(catalog, "zero.so", BKR_BAD_FILE, "a device");
  EXPECT_EQ(usable_names(catalog), std::vector<std::string>{"good.so"});
}

TEST(Case, F2_ReaderItselfRefusesThemWithoutWaiting) {
  const TempDir dir;
  ASSERT_EQ(::mkfifo((dir / "y.so").c_str(), 0644), 0);
  EXPECT_EQ(FileReader::open(dir / "y.so").error().status, BKR_BAD_FILE);
  EXPECT_EQ(FileReader::open(dir.path()).error().status, BKR_BAD_FILE);
  EXPECT_EQ(FileReader::open("/dev/zero").error().status, BKR_BAD_FILE);
}

TEST(Case, S11_LinksThatLeadNowhereArePassedOver) {
  const TempDir dir;
  write_file(dir / "good.so", fixture("good.so"));
  fs::create_symlink("gone.so", dir / "dangling.so");
  fs::create_symlink("loop2.so", dir / "loop1.so");
  fs::create_symlink("loop1.so", dir / "loop2.so");

  const Catalog catalog = scan_dirs({dir.path()});

  expect_passed_over(catalog, "dangling.so", BKR_NOT_FOUND, "is a link to a file that does not exist");
  expect_passed_over(catalog, "loop1.so", BKR_IO_ERROR, "symbolic links");
  EXPECT_NE(named(catalog, "loop1.so").failure->native_code, 0);
  EXPECT_EQ(usable_names(catalog), std::vector<std::string>{"good.so"});
}

TEST(Case, S11_DirectoryThatMayNotBeReadIsPassedOver) {
  const TempDir dir;
  fs::create_directory(dir / "closed");
  write_file(dir / "good.so", fixture("good.so"));
  ASSERT_EQ(::chmod((dir / "closed").c_str(), 0), 0);

  EXPECT_TRUE(holds_without_root([&] {
    const Catalog catalog = scan_dirs({dir / "closed", dir.path()});
    return catalog.directories[0].state == "denied" && catalog.directories[1].state == "ok" &&
           usable_names(catalog) == std::vector<std::string>{"good.so"};
  }));
  fs::permissions(dir / "closed", fs::perms::owner_all);
}

TEST(Case, S11_FileThatMayNotBeReadIsPassedOver) {
  const TempDir dir;
  write_file(dir / "closed.so", fixture("good.so"));
  write_file(dir / "good.so", fixture("good.so"));
  ASSERT_EQ(::chmod((dir / "closed.so").c_str(), 0), 0);

  EXPECT_TRUE(holds_without_root([&] {
    const Catalog catalog = scan_dirs({dir.path()});
    const auto &failure = catalog.files.at(0).file.failure;
    return failure && failure->status == BKR_IO_ERROR && failure->native_code == EACCES &&
           usable_names(catalog) == std::vector<std::string>{"good.so"};
  }));
}

// Every open() of something in the directory, as the kernel tells it.
class OpenWatch {
 public:
  explicit OpenWatch(const std::string &path) : handle_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    EXPECT_GE(::inotify_add_watch(handle_, path.c_str(), IN_OPEN | IN_ACCESS), 0);
  }
  ~OpenWatch() { ::close(handle_); }

  std::set<std::string> opened() const {
    std::set<std::string> names;
    alignas(inotify_event) char buffer[65536];
    for (ssize_t size = 0; (size = ::read(handle_, buffer, sizeof buffer)) > 0;) {
      for (const char *at = buffer; at < buffer + size;) {
        const auto *event = reinterpret_cast<const inotify_event *>(at);
        EXPECT_EQ(event->mask & IN_Q_OVERFLOW, 0u);
        if (event->len > 0) names.insert(event->name);
        at += sizeof(inotify_event) + event->len;
      }
    }
    return names;
  }

 private:
  int handle_;
};

TEST(Case, F7_UnrelatedFilesAreNotOpened) {
  const TempDir dir;
  const char *const endings[] = {".txt", ".so.bak", ".sox", ".so.1a", ".py", ".so.", ".o", "", ".a", ".json"};
  write_file(dir / "unrelated", "x");
  for (int i = 0; i < 3000; ++i) {
    fs::create_hard_link(dir / "unrelated", dir / ("lib" + std::to_string(i) + endings[i % 10]));
  }
  write_file(dir / ".hidden.so", fixture("good.so"));
  write_file(dir / "good.so", fixture("good.so"));
  const OpenWatch watch(dir.path());

  const Catalog catalog = scan_dirs({dir.path()});

  EXPECT_EQ(catalog.files.size(), 1u);
  EXPECT_EQ(watch.opened(), std::set<std::string>{"good.so"});
}

TEST(OddFiles, SuffixesOfSharedLibraries) {
  for (const char *name : {"x.so", "libx.so.1", "libx.so.1.2.33", "x.dll", "x.dylib", "\xd1\x84.so"}) {
    EXPECT_TRUE(has_library_suffix(name)) << name;
  }
  for (const char *name : {"", "so", "x", "x.so.", "x.so.1.", "x.so.1a", "x.soo", "x.so1", "x.1", "x.dll.1", "x.txt"}) {
    EXPECT_FALSE(has_library_suffix(name)) << name;
  }
}

// 64 bits of nanoseconds end in 2262.
TEST(Case, F2_FilesOfAnotherCentury) {
  const TempDir dir;
  const std::string path = dir / "good.so";
  write_file(path, fixture("good.so"));
  std::set<int64_t> times, stored;
  for (const time_t seconds : {time_t{13'569'465'600}, time_t{13'569'465'601}}) {  // in 2400
    const timespec time[2] = {{seconds, 5}, {seconds, 5}};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), time, 0), 0);
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    stored.insert(status.st_mtim.tv_sec);  // some file systems have no such times
    const PluginFile file = inspect_file(path, {});
    EXPECT_TRUE(file.usable());
    times.insert(file.identity.mtime_ns);
  }
  EXPECT_EQ(times.size(), stored.size());
}

}  // namespace
}  // namespace bkr::core::testing
