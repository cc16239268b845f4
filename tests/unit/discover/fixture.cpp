// SPDX-License-Identifier: Apache-2.0
#include "fixture.h"

#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace bkr::core::testing {

TempDir::TempDir() {
  std::string name =
      std::filesystem::canonical(std::filesystem::temp_directory_path()).string() + "/bkr-discover-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr || ::chmod(name.c_str(), 0755) != 0) std::abort();
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string fixture(std::string_view name) {
  const std::string bytes = read_file(std::string(BKR_TEST_PLUGIN_DIR "/") + std::string(name));
  EXPECT_FALSE(bytes.empty()) << name;
  return bytes;
}

std::string read_file(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << stream.rdbuf();
  return bytes.str();
}

void write_file(const std::string &path, std::string_view bytes) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  ASSERT_TRUE(stream.good()) << path;
}

std::size_t descriptor_offset(std::string_view bytes) {
  const std::size_t at = bytes.find("BKR\r\n\x1a\n\x01");
  EXPECT_NE(at, std::string_view::npos);
  return at;
}

PluginFile inspect_bytes(std::string_view bytes, const InspectRules &rules) {
  const TempDir dir;
  write_file(dir / "x.so", bytes);
  return inspect_file(dir / "x.so", rules);
}

Catalog scan_dirs(const std::vector<std::string> &dirs, const Filters &filters, const InspectRules &rules) {
  std::vector<SearchPlace> places;
  for (const std::string &dir : dirs) places.push_back({dir, Origin::config});
  return scan(places, rules, filters);
}

std::vector<std::string> usable_names(const Catalog &catalog) {
  std::vector<std::string> names;
  for (const CatalogFile &entry : catalog.files) {
    if (entry.file.usable()) names.push_back(entry.name);
  }
  return names;
}

bool holds_without_root(const std::function<bool()> &check) {
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t kNobody = 65534;
    if (::geteuid() == 0 && (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) {
      ::_exit(3);
    }
    ::_exit(check() ? 0 : 1);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace bkr::core::testing
