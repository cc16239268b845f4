// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_KERNELS_PLUGIN_UNDER_TEST_H
#define BKR_TESTS_KERNELS_PLUGIN_UNDER_TEST_H

// A plugin's file, loaded as a host loads it: through the library, without environment or search directories.

#include <backend_registry/interfaces/attention.h>
#include <gtest/gtest.h>

#include <backend_registry/backend_registry.hpp>
#include <optional>
#include <string>
#include <vector>

namespace bkr::test {

// What a call came to.
struct Outcome {
  bkr_status status = BKR_OK;
  std::string text;
};

// The files of a list as CMake writes it, one for each CPU level of a plugin; a test runs once with each.
std::vector<std::string> files_of(const char *list);
// "cpu_attn_x86_64_v3" for ".../cpu_attn.x86-64-v3.so".
std::string file_label(const ::testing::TestParamInfo<std::string> &info);

// Calls a function of an interface.
template <class Params>
Outcome call_kernel(bkr_backend *backend,
                    bkr_status(BKR_CALL *kernel)(bkr_backend *, const Params *, void *, bkr_error *),
                    const Params &params) {
  char text[1024] = "";
  bkr_error error = BKR_ERROR_INIT(text);
  const bkr_status status = kernel(backend, &params, nullptr, &error);
  return {status, text};
}

// A test with the file that is its parameter.
class PluginUnderTest : public ::testing::TestWithParam<std::string> {
 protected:
  PluginUnderTest();

  // A backend from a create function of the file, ready for use. Without one, and the test skipped, on a machine that
  // lacks the file's CPU level.
  bkr::backend load(const std::string &family, const std::string &symbol);

  const std::vector<std::string> &warnings() const { return warnings_; }

 private:
  static void BKR_CALL take_line(void *user, int32_t level, const char *text, std::size_t length);

  std::vector<std::string> warnings_;  // outlives the backends, which write to it
  std::optional<registry> registry_;
};

class CpuAttn : public PluginUnderTest {
 protected:
  void SetUp() override;

  bkr_backend *backend() const { return backend_.handle(); }
  const bkr_attention_1 &attention() const { return *attention_; }

  Outcome forward(const bkr_attention_forward_params &params);
  Outcome write_kv(const bkr_attention_write_kv_params &params);
  std::vector<std::string> reasons(const std::vector<bkr_option> &facts) const { return backend_.validate(facts); }

 private:
  bkr::backend backend_;
  const bkr_attention_1 *attention_ = nullptr;
};

std::vector<std::string> cpu_attn_files();

#define BKR_WITH_EVERY_CPU_ATTN(suite) \
  INSTANTIATE_TEST_SUITE_P(Files, suite, ::testing::ValuesIn(::bkr::test::cpu_attn_files()), ::bkr::test::file_label)

}  // namespace bkr::test

#endif  // BKR_TESTS_KERNELS_PLUGIN_UNDER_TEST_H
