// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_KERNELS_PLUGIN_UNDER_TEST_H
#define BKR_TESTS_KERNELS_PLUGIN_UNDER_TEST_H

// A plugin's file, loaded as a host loads it: through the library, without environment or search directories.

#include <backend_registry/interfaces/attention.h>
#include <gtest/gtest.h>

#include <backend_registry/backend_registry.hpp>
#include <string>
#include <vector>

namespace bkr::test {

// What a call came to.
struct Outcome {
  bkr_status status = BKR_OK;
  std::string text;
};

// The files of cpu_attn, one for each CPU level; a test runs once with each.
std::vector<std::string> cpu_attn_files();
// "cpu_attn_x86_64_v3" for ".../cpu_attn.x86-64-v3.so".
std::string file_label(const ::testing::TestParamInfo<std::string> &info);

class CpuAttn : public ::testing::TestWithParam<std::string> {
 protected:
  // Skips the test on a machine that lacks the file's CPU level.
  void SetUp() override;

  bkr_backend *backend() const { return backend_.handle(); }
  const bkr_attention_1 &attention() const { return *attention_; }
  const std::vector<std::string> &warnings() const { return warnings_; }

  Outcome forward(const bkr_attention_forward_params &params);
  Outcome write_kv(const bkr_attention_write_kv_params &params);
  std::vector<std::string> reasons(const std::vector<bkr_option> &facts) const { return backend_.validate(facts); }

 private:
  static void BKR_CALL take_line(void *user, int32_t level, const char *text, std::size_t length);

  std::vector<std::string> warnings_;  // outlives the backend, which writes to it
  std::optional<registry> registry_;
  bkr::backend backend_;
  const bkr_attention_1 *attention_ = nullptr;
};

#define BKR_WITH_EVERY_CPU_ATTN(suite) \
  INSTANTIATE_TEST_SUITE_P(Files, suite, ::testing::ValuesIn(::bkr::test::cpu_attn_files()), ::bkr::test::file_label)

}  // namespace bkr::test

#endif  // BKR_TESTS_KERNELS_PLUGIN_UNDER_TEST_H
