// SPDX-License-Identifier: Apache-2.0
#include "mamba_under_test.h"

namespace bkr::test {

void CpuMamba::SetUp() {
  PluginUnderTest::SetUp();
  if (IsSkipped()) return;
  for (const auto &[name, symbol] : {std::pair{"MAMBA1", "create_mamba1"}, std::pair{"MAMBA2", "create_mamba2"},
                                     std::pair{"SHORT_CONV", "create_short_conv"}, std::pair{"LINEAR", "create_linear"},
                                     std::pair{"GDN_ATTN", "create_gdn"}}) {
    Loaded loaded;
    loaded.backend = load("mamba", symbol);
    loaded.table = loaded.backend.get_interface<bkr_mamba_1>(BKR_MAMBA_1);
    members_.emplace(name, std::move(loaded));
  }
}

Outcome CpuMamba::run(const std::string &name, MambaCall &call) {
  const Loaded &loaded = member(name);
  bkr_backend *backend = loaded.backend.handle();
  if (call.function == "causal_conv1d") return call_kernel(backend, loaded.table->causal_conv1d, call.conv());
  if (call.function == "selective_scan") return call_kernel(backend, loaded.table->selective_scan, call.scan());
  if (call.function == "linear_attention") return call_kernel(backend, loaded.table->linear_attention, call.linear());
  return call_kernel(backend, loaded.table->gated_delta_rule, call.delta());
}

}  // namespace bkr::test
