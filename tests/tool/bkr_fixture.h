// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_TOOL_BKR_FIXTURE_H
#define BKR_TESTS_TOOL_BKR_FIXTURE_H

#include <gmock/gmock-matchers.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "child_process.h"

// The real tool, as a child process that sees no directory but this test's own.
class BkrTest : public ::testing::Test {
 protected:
  BkrTest();
  ~BkrTest() override;

  const std::filesystem::path &plugin_dir() const { return plugin_dir_; }  // D: empty at first, in BKR_PLUGIN_PATH

  // Puts a plugin that the build made into D: "quiet", "explosive", "bare".
  std::filesystem::path drop(const std::string &plugin, const std::string &as) const;
  static std::string plugin_bytes(const std::string &plugin);

  Finished bkr(std::vector<std::string> arguments, const Variables &more = {}) const;
  nlohmann::ordered_json bkr_json(std::vector<std::string> arguments, const Variables &more = {}) const;

  // For what a test needs beside D.
  const std::filesystem::path &scratch() const { return scratch_; }
  static std::filesystem::path program();

 private:
  Variables variables(const Variables &more) const;

  std::filesystem::path scratch_;
  std::filesystem::path plugin_dir_;
};

#endif  // BKR_TESTS_TOOL_BKR_FIXTURE_H
