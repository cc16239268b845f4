// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_KERNELS_MAMBA_UNDER_TEST_H
#define BKR_TESTS_KERNELS_MAMBA_UNDER_TEST_H

#include <map>

#include "mamba_call.h"
#include "plugin_under_test.h"

namespace bkr::test {

// The five backends of cpu_mamba, by their members' names.
class CpuMamba : public PluginUnderTest {
 protected:
  CpuMamba() : PluginUnderTest("mamba", "create_mamba1") {}
  void SetUp() override;

  struct Loaded {
    bkr::backend backend;
    const bkr_mamba_1 *table = nullptr;
  };
  const Loaded &member(const std::string &name) const { return members_.at(name); }

  Outcome run(const std::string &member, MambaCall &call);

 private:
  std::map<std::string, Loaded> members_;
};

#define BKR_WITH_EVERY_CPU_MAMBA(suite) \
  INSTANTIATE_TEST_SUITE_P(Files, suite, ::testing::ValuesIn(::bkr::test::cpu_mamba_files()), ::bkr::test::file_label)

}  // namespace bkr::test

#endif  // BKR_TESTS_KERNELS_MAMBA_UNDER_TEST_H
