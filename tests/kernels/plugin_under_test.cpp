// SPDX-License-Identifier: Apache-2.0
#include "plugin_under_test.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>

namespace bkr::test {
namespace {

std::vector<std::string> files_of(const char *list) {
  std::vector<std::string> files;
  std::istringstream words(list);
  for (std::string file; std::getline(words, file, '|');) files.push_back(file);
  return files;
}

}  // namespace

std::vector<std::string> cpu_attn_files() { return files_of(BKR_CPU_ATTN_FILES); }
std::vector<std::string> cpu_mamba_files() { return files_of(BKR_CPU_MAMBA_FILES); }

std::string file_label(const ::testing::TestParamInfo<std::string> &info) {
  std::string label = std::filesystem::path(info.param).stem().string();
  std::replace_if(
      label.begin(), label.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return label;
}

void PluginUnderTest::SetUp() {
  bkr::config config;
  config.flags = BKR_CONFIG_NO_ENVIRONMENT | BKR_CONFIG_NO_DEFAULT_DIRS;
  config.log = take_line;
  config.log_user = this;
  config.services = {{BKR_THREADS_SERVICE_1, &threads_}};
  registry_.emplace(registry::open(config));
  try {
    backend_ = load(family_, symbol_);
  } catch (const bkr::error &failure) {
    if (failure.stage() != BKR_STAGE_CPU) throw;
    GTEST_SKIP() << failure.what();
  }
}

bkr::backend PluginUnderTest::load(const char *family, const char *symbol) const {
  bkr::backend made = registry_->find_family(family).load(GetParam() + "::" + symbol).create();
  made.init();
  return made;
}

void BKR_CALL PluginUnderTest::take_line(void *user, int32_t level, const char *text, std::size_t length) {
  if (level == BKR_LOG_WARN) static_cast<PluginUnderTest *>(user)->warnings_.emplace_back(text, length);
}

uint32_t BKR_CALL PluginUnderTest::worker_count(void *user) { return static_cast<PluginUnderTest *>(user)->workers_; }

bkr_status BKR_CALL PluginUnderTest::parallel_for(void *, uint32_t count, uint32_t workers, bkr_task_fn task,
                                                  void *task_user, bkr_error *) {
  for (uint32_t i = count; i-- > 0;) task(task_user, i, i % workers);
  return BKR_OK;
}

}  // namespace bkr::test
