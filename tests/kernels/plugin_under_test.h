// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_KERNELS_PLUGIN_UNDER_TEST_H
#define BKR_TESTS_KERNELS_PLUGIN_UNDER_TEST_H

// A plugin's file, loaded as a host loads it: through the library, without environment or search directories.

#include <backend_registry/interfaces/attention.h>
#include <backend_registry/interfaces/mla_prefill.h>
#include <backend_registry/services/threads.h>
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

// The files of a plugin, one for each CPU level; a test runs once with each.
std::vector<std::string> cpu_attn_files();
std::vector<std::string> cpu_mamba_files();
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

// A backend of the file that is the test's parameter. It is offered bkr.threads/1 by a host whose "threads" take turns
// in one thread, the last task first: what depends on an order, or on the number of workers, shows every time.
class PluginUnderTest : public ::testing::TestWithParam<std::string> {
 protected:
  PluginUnderTest(const char *family, const char *symbol) : family_(family), symbol_(symbol) {}

  // Skips the test on a machine that lacks the file's CPU level.
  void SetUp() override;

  bkr_backend *backend() const { return backend_.handle(); }
  const std::vector<std::string> &warnings() const { return warnings_; }
  std::vector<std::string> reasons(const std::vector<bkr_option> &facts) const { return backend_.validate(facts); }

  template <class Table>
  const Table &table(const char *id) const {
    return *backend_.get_interface<Table>(id);
  }

  template <class Params>
  Outcome call(bkr_status(BKR_CALL *kernel)(bkr_backend *, const Params *, void *, bkr_error *),
               const Params &params) const {
    return call_kernel(backend(), kernel, params);
  }

  // Another backend of the file, ready for use.
  bkr::backend load(const char *family, const char *symbol) const;

  // How many workers the host says it has; 1 at first.
  void set_workers(uint32_t count) { workers_ = count; }

 private:
  static void BKR_CALL take_line(void *user, int32_t level, const char *text, std::size_t length);
  static uint32_t BKR_CALL worker_count(void *user);
  static bkr_status BKR_CALL parallel_for(void *user, uint32_t count, uint32_t workers, bkr_task_fn task,
                                          void *task_user, bkr_error *error);

  const char *family_;
  const char *symbol_;
  uint32_t workers_ = 1;
  bkr_threads_service_1 threads_{sizeof threads_, 0, this, worker_count, parallel_for};
  std::vector<std::string> warnings_;  // outlives the backend, which writes to it
  std::optional<registry> registry_;
  bkr::backend backend_;
};

// A member of the attention family.
class AttentionUnderTest : public PluginUnderTest {
 protected:
  explicit AttentionUnderTest(const char *symbol) : PluginUnderTest("attention", symbol) {}

  const bkr_attention_1 &attention() const { return table<bkr_attention_1>(BKR_ATTENTION_1); }
  Outcome forward(const bkr_attention_forward_params &params) const { return call(attention().forward, params); }
  Outcome write_kv(const bkr_attention_write_kv_params &params) const { return call(attention().write_kv, params); }
};

class CpuAttn : public AttentionUnderTest {
 protected:
  CpuAttn() : AttentionUnderTest("create_backend") {}
};

class CpuMla : public AttentionUnderTest {
 protected:
  CpuMla() : AttentionUnderTest("create_cpu_mla") {}
};

class NoAttention : public AttentionUnderTest {
 protected:
  NoAttention() : AttentionUnderTest("create_no_attention") {}
};

class MlaPrefill : public PluginUnderTest {
 protected:
  MlaPrefill() : PluginUnderTest("mla_prefill", "create_mla_prefill") {}

  const bkr_mla_prefill_1 &mla() const { return table<bkr_mla_prefill_1>(BKR_MLA_PREFILL_1); }
  Outcome prefill(const bkr_mla_prefill_params &params) const { return call(mla().prefill, params); }
  Outcome merge(const bkr_mla_merge_params &params) const { return call(mla().merge, params); }
};

#define BKR_WITH_EVERY_CPU_ATTN(suite) \
  INSTANTIATE_TEST_SUITE_P(Files, suite, ::testing::ValuesIn(::bkr::test::cpu_attn_files()), ::bkr::test::file_label)

}  // namespace bkr::test

#endif  // BKR_TESTS_KERNELS_PLUGIN_UNDER_TEST_H
