// SPDX-License-Identifier: Apache-2.0
#include "bkr_fixture.h"

#include <stdlib.h>

#include <stdexcept>

namespace fs = std::filesystem;

BkrTest::BkrTest() {
  std::string pattern = (fs::temp_directory_path() / "bkr-tool-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("cannot make a directory like " + pattern);
  scratch_ = fs::canonical(pattern);
  plugin_dir_ = scratch_ / "plugins";
  fs::create_directory(plugin_dir_);
}

BkrTest::~BkrTest() {
  std::error_code ignored;
  fs::remove_all(scratch_, ignored);
}

fs::path BkrTest::program() { return BKR_TEST_PROGRAM; }

std::string BkrTest::plugin_bytes(const std::string &plugin) {
  return read_bytes(fs::path(BKR_TEST_PLUGIN_DIR) / (plugin + ".so"));
}

fs::path BkrTest::drop(const std::string &plugin, const std::string &as) const {
  const fs::path file = plugin_dir_ / as;
  write_bytes(file, plugin_bytes(plugin));
  return file;
}

Variables BkrTest::variables(const Variables &more) const {
  Variables all = {{"BKR_PLUGIN_PATH", plugin_dir_.string()}, {"BKR_DEFAULT_DIRS", "0"}};
  for (const auto &[name, value] : more) all[name] = value;
  return all;
}

Finished BkrTest::bkr(std::vector<std::string> arguments, const Variables &more) const {
  arguments.insert(arguments.begin(), program().string());
  return run_program(arguments, variables(more), scratch_);
}

nlohmann::ordered_json BkrTest::bkr_json(std::vector<std::string> arguments, const Variables &more) const {
  arguments.emplace_back("--json");
  return nlohmann::ordered_json::parse(bkr(arguments, more).out);  // throws, which fails the test
}
