// SPDX-License-Identifier: Apache-2.0
// Files that are no plugins, or no good ones.
#include <backend_registry/descriptor.h>
#include <elf.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "child.h"
#include "loading_fixture.h"

namespace loading {
namespace {

namespace fs = std::filesystem;

// Neither listed as usable, nor loaded by its name: both say so, before the system's loader sees the file.
void expect_refused(const TempDir &dir, const std::string &name, std::set<bkr_status> statuses,
                    std::initializer_list<std::string> words) {
  const Registry registry(dir);
  const Json entry = registry.file(name);
  EXPECT_NE(entry["stage"], "ok") << name;
  EXPECT_TRUE(registry.log().empty()) << registry.log()[0].text;  // merely present: silent
  const Answer answer = registry.load_path(dir / name);
  EXPECT_TRUE(statuses.contains(answer.status)) << name << ": " << bkr_status_name(answer.status) << answer.text;
  EXPECT_EQ(entry["status"], bkr_status_name(answer.status)) << name;
  EXPECT_GT(answer.stage, BKR_STAGE_NONE) << name;
  EXPECT_LT(answer.stage, BKR_STAGE_LOAD) << name;
  EXPECT_TRUE(has(answer.text, {dir / name})) << name;
  EXPECT_TRUE(has(answer.text, words)) << name;
  EXPECT_TRUE(mapped_in(dir).empty()) << name;
}

TEST(Loading, F1_CutPluginIsABadFileOrLoads) {
  for (const char *kind : {"good", "twin_a"}) {
    const PluginBytes whole = built(kind);
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{500}, std::size_t{1000},
          std::size_t{3000}, std::size_t{9000}, whole.size() / 2, whole.size() - 1}) {
      if (size >= whole.size()) continue;
      const TempDir dir;
      const std::string file = dir.drop(whole.cut(size), "cut.so");
      const Child child = in_child([&] {
        const Registry registry(dir);
        const Made made = registry.open_path(file);
        if (made.answer.status == BKR_OK) {
          // What runs is all there: only what comes after it is cut.
          EXPECT_FALSE(made.backend.code().empty());
          EXPECT_EQ(registry.file("cut.so")["stage"], "ok");
          return;
        }
        EXPECT_TRUE(failed(made.answer, BKR_BAD_FILE, made.answer.stage, {file}));
        EXPECT_GT(made.answer.stage, BKR_STAGE_NONE);
        EXPECT_LT(made.answer.stage, BKR_STAGE_LOAD);
        EXPECT_EQ(registry.file("cut.so")["status"], "BKR_BAD_FILE");
        EXPECT_TRUE(mapped_in(dir).empty());
      });
      EXPECT_TRUE(child.ended_well()) << kind << " cut to " << size << " bytes";
    }
  }
}

TEST(Loading, F1_PluginCutAfterItWasReadIsStale) {
  const TempDir dir;
  const std::string file = dir.drop(built("good"), "good.so");
  EXPECT_TRUE(in_child([&] {
                const Registry registry(dir);
                fs::resize_file(file, 5000);
                EXPECT_TRUE(failed(registry.load("GOOD"), BKR_STALE, BKR_STAGE_LOAD, {file, "Rescan"}));
                ASSERT_TRUE(ok(registry.rescan()));
                EXPECT_TRUE(failed(registry.load_path(file), BKR_BAD_FILE, registry.load_path(file).stage, {file}));
              }).ended_well());
}

TEST(Loading, F1_CutLibraryBesideThePlugin) {
  const PluginBytes whole = built("libbeside");
  for (const std::size_t size : {std::size_t{0}, std::size_t{500}, std::size_t{5000}, whole.size() - 1}) {
    const TempDir dir;
    dir.drop(built("needs_beside"), "good.so");
    dir.drop(whole.cut(size), "libbeside.so");
    const Child child = in_child([&] {
      const Registry registry(dir);
      const Answer answer = registry.open("GOOD").answer;
      if (answer.status == BKR_OK && size == whole.size() - 1) return;  // what it loads is all there
      EXPECT_TRUE(answer.status == BKR_BAD_FILE || answer.status == BKR_LOAD_FAILED) << bkr_status_name(answer.status);
      EXPECT_EQ(answer.stage, BKR_STAGE_LOAD);
      EXPECT_TRUE(has(answer.text, {dir / "good.so", "libbeside.so"}));
    });
    EXPECT_TRUE(child.ended_well()) << size << " bytes";
  }
}

TEST(Loading, F1_CutLibraryThatIsNeededByItsPath) {
  const TempDir dir;
  dir.drop(built("libbeside").cut(5000), "b.so");
  dir.drop(built("needs_beside").with_text("libbeside.so", "./b.so"), "good.so");
  const Child child = in_child([&] {
    ASSERT_EQ(::chdir(dir.path().c_str()), 0);
    EXPECT_TRUE(failed(Registry(dir).open("GOOD").answer, BKR_BAD_FILE, BKR_STAGE_LOAD, {dir / "good.so", "./b.so"}));
  });
  EXPECT_TRUE(child.ended_well());
}

TEST(Loading, F2_WhatIsNoRegularFileIsPassedOverAtOnce) {
  const TempDir dir;
  dir.drop(built("good"), "good.so");
  fs::create_directory(dir / "x.so");
  ASSERT_EQ(::mkfifo((dir / "y.so").c_str(), 0666), 0);
  ::chmod((dir / "y.so").c_str(), 0644);
  const int handle = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  (dir / "z.so").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(handle, reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
  fs::create_symlink("/dev/zero", dir / "zero.so");
  fs::create_symlink(dir / "y.so", dir / "link_to_pipe.so");

  const auto start = std::chrono::steady_clock::now();
  const Child child = in_child([&] {
    expect_refused(dir, "x.so", {BKR_BAD_FILE}, {"a directory"});
    expect_refused(dir, "y.so", {BKR_BAD_FILE}, {"a named pipe"});
    expect_refused(dir, "z.so", {BKR_BAD_FILE}, {"a socket"});
    expect_refused(dir, "zero.so", {BKR_BAD_FILE}, {"a device"});
    expect_refused(dir, "link_to_pipe.so", {BKR_BAD_FILE}, {"a named pipe"});
    const Registry registry(dir);
    EXPECT_TRUE(ok(registry.open("GOOD").answer));
  });
  EXPECT_TRUE(child.ended_well());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
  ::close(handle);
}

TEST(Loading, F2_AndWhenNamedByTheEnvironment) {
  const TempDir dir;
  ASSERT_EQ(::mkfifo((dir / "y.so").c_str(), 0644), 0);
  const Child child = in_child([&] {
    const Variable path("BKR_PLUGIN_PATH", dir / "y.so");
    const Variable override_custom("BKR_OVERRIDE_ATTENTION_CUSTOM", dir / "y.so");
    const Registry registry;
    EXPECT_TRUE(failed(registry.load("CUSTOM"), BKR_BAD_FILE, BKR_STAGE_OPEN,
                       {dir / "y.so", "a named pipe", "BKR_OVERRIDE_ATTENTION_CUSTOM"}));
    EXPECT_EQ(inspect(dir / "y.so")["status"], "BKR_BAD_FILE");
  });
  EXPECT_TRUE(child.ended_well());
}

TEST(Loading, F3_ForeignFilesSayWhatTheyAre) {
  const TempDir dir;
  const PluginBytes good = built("good");
  const std::set<bkr_status> either = {BKR_WRONG_PLATFORM, BKR_BAD_FILE};
  const auto case_of = [&](const std::string &name, const auto &content, const std::set<bkr_status> &statuses,
                           std::initializer_list<std::string> words) {
    dir.drop(content, name);
    expect_refused(dir, name, statuses, words);
    fs::remove(dir / name);
  };
  case_of("narrow.so", good.with(EI_CLASS, uint8_t{ELFCLASS32}), either, {"32-bit"});
  case_of("machine.so", good.with(offsetof(Elf64_Ehdr, e_machine), uint16_t{EM_SPARCV9}), {BKR_WRONG_PLATFORM},
          {"sparc64", "is needed"});
  case_of("order.so", good.with(EI_DATA, uint8_t{ELFDATA2MSB}), either, {"big-endian"});
  case_of("core.so", good.with(offsetof(Elf64_Ehdr, e_type), uint16_t{ET_CORE}), {BKR_BAD_FILE}, {"core"});
  case_of("object.so", good.with(offsetof(Elf64_Ehdr, e_type), uint16_t{ET_REL}), {BKR_BAD_FILE}, {"object file"});
  case_of("debug.so", built("debug_data"), {BKR_BAD_FILE}, {"debug data"});
  case_of("text.so", std::string("Once upon a time.\n"), {BKR_BAD_FILE}, {"a text file"});
  case_of("script.so", std::string("INPUT ( libreal.so.1 )\n"), {BKR_BAD_FILE}, {"linker script"});
  std::string windows(512, '\0');
  windows.replace(0, 2, "MZ");
  windows[60] = 64;
  windows.replace(64, 6, std::string("PE\0\0\x64\x86", 6));
  case_of("windows.dll", windows, either, {"Windows"});
  std::string mac(512, '\0');
  mac.replace(0, 16, std::string("\xcf\xfa\xed\xfe\x07\0\0\x01\x03\0\0\0\x06\0\0\0", 16));
  case_of("mac.dylib", mac, either, {"Mac"});
  fs::copy_file("/proc/self/exe", dir / "program.so");
  expect_refused(dir, "program.so", {BKR_BAD_FILE}, {"a program"});
}

TEST(Loading, F3_ForeignPluginThatIsAskedForSaysWhy) {
  const TempDir dir;
  dir.drop(built("good").with(offsetof(Elf64_Ehdr, e_machine), uint16_t{EM_SPARCV9}), "good.so");
  const Registry registry(dir);
  EXPECT_TRUE(failed(registry.load("GOOD"), BKR_WRONG_PLATFORM, BKR_STAGE_MACHINE,
                     {"attention.GOOD", dir / "good.so", "sparc64", "is needed"}));
}

TEST(Loading, F4_StrippedPluginIsListedAndLoaded) {
  const TempDir dir;
  dir.drop(built("stripped").named("STRIPPED"), "stripped.so");
  dir.drop(built("stripped").without_sections().named("BARE"), "bare.so");
  const Registry registry(dir);
  for (const std::string name : {"STRIPPED", "BARE"}) {
    const Made made = registry.open(name);
    ASSERT_TRUE(ok(made.answer)) << name;
    EXPECT_EQ(made.backend.code(), LOADING_CODE);
  }
  EXPECT_EQ(registry.files(), (std::vector<std::string>{"bare.so", "stripped.so"}));
}

TEST(Loading, F5_UnsoundDescriptorIsNeverLoaded) {
  const PluginBytes good = built("good");
  const std::size_t header = sizeof(bkr_descriptor_header);
  const auto at = [](std::size_t offset) { return offset; };
  const std::pair<const char *, PluginBytes> cases[] = {
      {"magic", good.with_header(at(0), uint8_t{'X'})},
      {"header_size", good.with_header(at(8), uint32_t{255})},
      {"total_size", good.with_header(at(8), uint32_t{0xffffff00})},
      {"record_size", good.with_header(at(12), uint32_t{8})},
      {"total_size", good.with_header(at(12), uint32_t{0x80000000})},
      {"record_count", good.with_header(at(16), uint32_t{0})},
      {"record_count", good.with_header(at(16), uint32_t{0xffffffff})},
      {"total_size", good.with_header(at(16), uint32_t{2})},
      {"total_size", good.with_header(at(20), uint32_t{0xffffffff})},
      {"abi_major", good.with_header(at(24), uint16_t{0})},
      {"format", good.with_header(at(30), uint16_t{0})},
      {"plugin_id", good.with_id(std::string(95, 'x')).with_header(at(36 + 95), 'x')},
      {"family", good.with_header(header + 31, 'x')},
      {"name", good.with_header(header + 32, ' ')},
      {"zero", good.with_header(at(164), uint8_t{1})},
  };
  for (const auto &[word, plugin] : cases) {
    const TempDir dir;
    const std::string file = dir.drop(plugin, "bad.so");
    const Registry registry(dir);
    EXPECT_EQ(registry.file("bad.so")["status"], "BKR_BAD_DESCRIPTOR") << word;
    EXPECT_EQ(registry.file("bad.so")["stage"], "descriptor") << word;
    EXPECT_EQ(registry.member("GOOD"), nullptr) << word;
    EXPECT_TRUE(registry.log().empty()) << registry.log()[0].text;  // merely present: silent
    EXPECT_TRUE(failed(registry.load_path(file), BKR_BAD_DESCRIPTOR, BKR_STAGE_DESCRIPTOR, {file, word}));
    EXPECT_TRUE(mapped_in(dir).empty()) << word;
  }
}

TEST(Loading, F7_UnrelatedFilesAreNotOpened) {
  const TempDir dir;
  for (int i = 0; i < 3000; ++i) dir.drop("x", "unrelated" + std::to_string(i) + (i % 2 ? ".txt" : ".so.bak"));
  dir.drop(built("good"), ".hidden.so");
  dir.drop(built("good"), "good.so");
  const int watch = ::inotify_init1(IN_NONBLOCK);
  ASSERT_GE(watch, 0);
  ASSERT_GE(::inotify_add_watch(watch, dir.path().c_str(), IN_OPEN), 0);

  const Registry registry(dir);
  const Answer answer = registry.open("GOOD").answer;

  std::set<std::string> opened;
  alignas(inotify_event) char buffer[1 << 16];
  for (ssize_t size = 0; (size = ::read(watch, buffer, sizeof buffer)) > 0;) {
    for (ssize_t at = 0; at < size;) {
      const auto *event = reinterpret_cast<const inotify_event *>(buffer + at);
      if (event->len > 0) opened.insert(event->name);
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    }
  }
  ::close(watch);
  EXPECT_TRUE(ok(answer));
  EXPECT_EQ(opened, std::set<std::string>{"good.so"});
}

}  // namespace
}  // namespace loading
