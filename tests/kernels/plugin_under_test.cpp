// SPDX-License-Identifier: Apache-2.0
#include "plugin_under_test.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>

namespace bkr::test {

std::vector<std::string> files_of(const char *list) {
  std::vector<std::string> files;
  std::istringstream words(list);
  for (std::string file; std::getline(words, file, '|');) files.push_back(file);
  return files;
}

std::vector<std::string> cpu_attn_files() { return files_of(BKR_CPU_ATTN_FILES); }

std::string file_label(const ::testing::TestParamInfo<std::string> &info) {
  std::string label = std::filesystem::path(info.param).stem().string();
  std::replace_if(
      label.begin(), label.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return label;
}

PluginUnderTest::PluginUnderTest() {
  bkr::config config;
  config.flags = BKR_CONFIG_NO_ENVIRONMENT | BKR_CONFIG_NO_DEFAULT_DIRS;
  config.log = take_line;
  config.log_user = this;
  registry_.emplace(registry::open(config));
}

bkr::backend PluginUnderTest::load(const std::string &family, const std::string &symbol) {
  const auto skipped = [](const char *why) { GTEST_SKIP() << why; };
  bkr::backend made;
  try {
    made = registry_->find_family(family).load(GetParam() + "::" + symbol).create();
  } catch (const bkr::error &failure) {
    if (failure.stage() != BKR_STAGE_CPU) throw;
    skipped(failure.what());
    return made;
  }
  made.init();
  return made;
}

void BKR_CALL PluginUnderTest::take_line(void *user, int32_t level, const char *text, std::size_t length) {
  if (level == BKR_LOG_WARN) static_cast<PluginUnderTest *>(user)->warnings_.emplace_back(text, length);
}

void CpuAttn::SetUp() {
  backend_ = load("attention", "create_backend");
  if (IsSkipped()) return;
  attention_ = backend_.get_interface<bkr_attention_1>(BKR_ATTENTION_1);
}

Outcome CpuAttn::forward(const bkr_attention_forward_params &params) {
  return call_kernel(backend(), attention().forward, params);
}

Outcome CpuAttn::write_kv(const bkr_attention_write_kv_params &params) {
  return call_kernel(backend(), attention().write_kv, params);
}

}  // namespace bkr::test
