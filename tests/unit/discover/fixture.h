// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_UNIT_DISCOVER_FIXTURE_H
#define BKR_TESTS_UNIT_DISCOVER_FIXTURE_H

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "discover/catalog.h"

namespace bkr::core::testing {

// A fresh directory that is gone, with all in it, at the end of the test. Its path is canonical.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir &) = delete;
  TempDir &operator=(const TempDir &) = delete;

  const std::string &path() const { return path_; }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

// The bytes of one of the files that CMakeLists.txt builds: "good.so", "stripped.so", "pie", …
std::string fixture(std::string_view name);

std::string read_file(const std::string &path);
void write_file(const std::string &path, std::string_view bytes);

// The bytes with a number put over those at `at`.
template <class T>
std::string patched(std::string bytes, std::size_t at, T value) {
  return bytes.replace(at, sizeof value, reinterpret_cast<const char *>(&value), sizeof value);
}

// Where the descriptor begins in the bytes of a plugin.
std::size_t descriptor_offset(std::string_view bytes);

// What inspection says of a file with these bytes.
PluginFile inspect_bytes(std::string_view bytes, const InspectRules &rules = {});

// What a scan says of directories that come from the configuration.
Catalog scan_dirs(const std::vector<std::string> &dirs, const Filters &filters = {}, const InspectRules &rules = {});

// The names of the files that a scan found usable.
std::vector<std::string> usable_names(const Catalog &catalog);

// Runs a check in a child process that is not root; whether it held. Without root: in a child as it is.
bool holds_without_root(const std::function<bool()> &check);

}  // namespace bkr::core::testing

#endif  // BKR_TESTS_UNIT_DISCOVER_FIXTURE_H
