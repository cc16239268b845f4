// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_REGISTRY_BUILTIN_FAMILIES_H
#define BKR_REGISTRY_BUILTIN_FAMILIES_H

#include <span>

namespace bkr::core {

// A member that every registry begins with. default_path: nullptr for CUSTOM, "" for TORCH_SDPA.
struct BuiltinMember {
  const char *name;
  const char *default_path;
};

struct BuiltinFamily {
  const char *name;
  const char *title;
  const char *collection;
  const char *subject;
  std::span<const BuiltinMember> members;
};

// attention, mamba, mla_prefill: the one place that knows their members and default paths.
std::span<const BuiltinFamily> builtin_families() noexcept;

}  // namespace bkr::core

#endif  // BKR_REGISTRY_BUILTIN_FAMILIES_H
