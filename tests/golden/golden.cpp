// SPDX-License-Identifier: Apache-2.0
#include "golden.h"

#include <dlfcn.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <system_error>

namespace golden {

namespace {

namespace fs = std::filesystem;

struct SystemCode {
  int code;
  const char *name;
};
constexpr SystemCode kSystemCodes[] = {
    {EACCES, "EACCES"}, {ELOOP, "ELOOP"}, {ENAMETOOLONG, "ENAMETOOLONG"}, {ENOENT, "ENOENT"}, {ENOTDIR, "ENOTDIR"}};

std::string name_of_code(int32_t code) {
  if (code == 0) return "none";
  for (const SystemCode &known : kSystemCodes) {
    if (known.code == code) return known.name;
  }
  return "another than this test knows";
}

std::string stage_word(int32_t stage) {
  constexpr const char *words[] = {"none", "open", "format", "machine",   "kind", "segments", "descriptor",
                                   "abi",  "cpu",  "policy", "duplicate", "load", "symbol",   "create"};
  return stage >= 0 && stage <= BKR_STAGE_CREATE ? words[stage] : "no stage";
}

std::string level_word(int32_t level) {
  constexpr const char *words[] = {"trace", "debug", "info", "warn", "err", "critical"};
  return level >= BKR_LOG_TRACE && level < BKR_LOG_OFF ? words[level - BKR_LOG_TRACE] : "no level";
}

void replace_all(std::string &text, const std::string &what, const std::string &with) {
  if (what.empty()) return;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
}

// The directory of the file that has the library's code.
std::string library_directory() {
  Dl_info info;
  if (::dladdr(::dlsym(RTLD_DEFAULT, "bkr_version"), &info) == 0) return {};
  return fs::canonical(info.dli_fname).parent_path().string();
}

std::string own_machine() {
  const TempDir dir;
  return inspect(dir.drop(built("good"), "good.so"))["machine"];
}

std::string cpu_levels() {
  std::string text;
  const Json levels = Registry().report()["cpu_levels"];
  for (const Json &level : levels) text += (text.empty() ? "" : ", ") + level.get<std::string>();
  return text.empty() ? own_machine() : text;
}

// The texts of this machine, this build and this run, and what stands for each.
Golden::Placeholders literals(const std::string &directory) {
  const uint32_t abi = bkr_abi_version();
  const std::string major = std::to_string(abi >> 16);
  Golden::Placeholders all = {
      {directory, "{dir}"},
      {library_directory(), "{library}"},
      {"this machine has " + cpu_levels(), "this machine has {cpu levels}"},
      {own_machine(), "{machine}"},
      {"this library has " + major + "." + std::to_string(abi & 0xffff), "this library has {abi}"},
      {" " + major + ".9", " {abi major}.9"}};
  for (const SystemCode &known : kSystemCodes) {
    all.emplace_back(std::generic_category().message(known.code), "{" + std::string(known.name) + "}");
  }
  return all;
}

// What is a number or a text of the system's in a sentence of ours.
const std::pair<std::regex, const char *> kPatterns[] = {
    {std::regex("(The system says: ).*\\."), "$1{the system's text}."},
    {std::regex("(unique in the process, such as ).*\\."), "$1{symbol}."},
    {std::regex("(needs?) \\d+ bytes, the file has \\d+"), "$1 {n} bytes, the file has {n}"},
    {std::regex("(there is room for) \\d+"), "$1 {n}"},
    {std::regex("(the document has) \\d+"), "$1 {n}"},
    {std::regex("(\\{library\\}\\S* \\(library\\): ).*"), "$1{state}"},
};

}  // namespace

std::string file_of(const std::string &test) { return test.substr(test.rfind('/') + 1) + ".txt"; }

Golden::Golden() : literals_(literals(dir.path())) {}

std::string Golden::with_placeholders(std::string text) const {
  for (const auto &[what, with] : literals_) replace_all(text, what, with);
  for (const auto &[what, with] : kPatterns) text = std::regex_replace(text, what, with);
  return text;
}

std::string Golden::told(const Answer &answer) const {
  std::string text = bkr_status_name(answer.status);
  text += "\nstage: " + stage_word(answer.stage) + "\nsystem's code: " + name_of_code(answer.native_code) + "\n\n";
  return text + with_placeholders(answer.text) + "\n";
}

std::string Golden::logged(const Registry &registry) const {
  std::string text;
  for (const LogLine &line : registry.log()) {
    text += level_word(line.level) + ": " + with_placeholders(line.text) + "\n";
  }
  return text;
}

std::string Golden::told(const Answer &answer, const Registry &registry) const {
  std::string lines = logged(registry);
  // A failure that is logged as it is told needs not stand here twice.
  replace_all(lines, with_placeholders(answer.text), "(the same)");
  return told(answer) + (lines.empty() ? "" : "\nlogged:\n" + lines);
}

void Golden::expect(const std::string &told) {
  const std::string file = GOLDEN_TEXT_DIR "/" + file_of(testing::UnitTest::GetInstance()->current_test_info()->name());
  if (!setting_of_the_run("BKR_UPDATE_GOLDEN").empty()) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << told;
    return;
  }
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream wanted;
  wanted << stream.rdbuf();
  EXPECT_TRUE(stream) << file << " is missing; BKR_UPDATE_GOLDEN=1 writes it";
  EXPECT_EQ(told, wanted.str()) << file;
}

void Golden::expect_from_child(const std::function<std::string()> &work) {
  const Child child = in_child([&] { std::fputs(work().c_str(), stdout); });
  ASSERT_TRUE(child.ended_well());
  expect(child.out);
}

void Golden::expect_from_child_without_root(const std::function<std::string()> &work) {
  const Child child = in_child_without_root([&] { std::fputs(work().c_str(), stdout); });
  ASSERT_TRUE(child.ended_well());
  expect(child.out);
}

namespace {

// A text that no test provokes tells nothing about the library.
TEST(GoldenTexts, EachBelongsToATest) {
  const testing::UnitTest &tests = *testing::UnitTest::GetInstance();
  std::set<std::string> provoked;
  for (int suite = 0; suite < tests.total_test_suite_count(); ++suite) {
    const testing::TestSuite &of = *tests.GetTestSuite(suite);
    for (int test = 0; test < of.total_test_count(); ++test) provoked.insert(file_of(of.GetTestInfo(test)->name()));
  }
  for (const fs::directory_entry &entry : fs::directory_iterator(GOLDEN_TEXT_DIR)) {
    EXPECT_TRUE(provoked.contains(entry.path().filename())) << entry.path() << " belongs to no test; remove it";
  }
}

}  // namespace

}  // namespace golden
