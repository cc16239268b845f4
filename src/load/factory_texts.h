// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_LOAD_FACTORY_TEXTS_H
#define BKR_LOAD_FACTORY_TEXTS_H

#include <string>

#include "resolve/resolve.h"

namespace bkr::core {

// How a factory and its backends are spoken of. Shared by them: the backends may live longer.
struct FactoryTexts {
  explicit FactoryTexts(const Target &target);

  const std::string family;
  const std::string backend_name;  // that its record gives, or the member asked for; empty for a path without one
  const std::string path;
  const std::string place;         // its file, or "the host"
  const std::string interface_id;  // that its record names; may be empty

  std::string words() const;  // "attention.CPU_ATTN ('vllm.CPUAttentionBackend') in /x/cpu_attn.so"
};

}  // namespace bkr::core

#endif  // BKR_LOAD_FACTORY_TEXTS_H
