// SPDX-License-Identifier: Apache-2.0
#include "plugin_under_test.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>

namespace bkr::test {
namespace {

template <class Params>
Outcome call(bkr_backend *backend, bkr_status(BKR_CALL *kernel)(bkr_backend *, const Params *, void *, bkr_error *),
             const Params &params) {
  char text[1024] = "";
  bkr_error error = BKR_ERROR_INIT(text);
  const bkr_status status = kernel(backend, &params, nullptr, &error);
  return {status, text};
}

}  // namespace

std::vector<std::string> cpu_attn_files() {
  std::vector<std::string> files;
  std::istringstream list(BKR_CPU_ATTN_FILES);
  for (std::string file; std::getline(list, file, '|');) files.push_back(file);
  return files;
}

std::string file_label(const ::testing::TestParamInfo<std::string> &info) {
  std::string label = std::filesystem::path(info.param).stem().string();
  std::replace_if(
      label.begin(), label.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return label;
}

void CpuAttn::SetUp() {
  bkr::config config;
  config.flags = BKR_CONFIG_NO_ENVIRONMENT | BKR_CONFIG_NO_DEFAULT_DIRS;
  config.log = take_line;
  config.log_user = this;
  registry_.emplace(registry::open(config));
  try {
    const factory made = registry_->find_family("attention").load(GetParam() + "::create_backend");
    backend_ = made.create();
  } catch (const bkr::error &failure) {
    if (failure.stage() != BKR_STAGE_CPU) throw;
    GTEST_SKIP() << failure.what();
  }
  backend_.init();
  attention_ = backend_.get_interface<bkr_attention_1>(BKR_ATTENTION_1);
}

void BKR_CALL CpuAttn::take_line(void *user, int32_t level, const char *text, std::size_t length) {
  if (level == BKR_LOG_WARN) static_cast<CpuAttn *>(user)->warnings_.emplace_back(text, length);
}

Outcome CpuAttn::forward(const bkr_attention_forward_params &params) {
  return call(backend(), attention().forward, params);
}

Outcome CpuAttn::write_kv(const bkr_attention_write_kv_params &params) {
  return call(backend(), attention().write_kv, params);
}

}  // namespace bkr::test
