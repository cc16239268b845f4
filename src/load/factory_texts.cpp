// SPDX-License-Identifier: Apache-2.0
#include "load/factory_texts.h"

#include "base/text.h"

namespace bkr::core {

FactoryTexts::FactoryTexts(const Target &target)
    : family(target.family),
      backend_name(target.backend_name),
      path(target.path),
      place(target.facts ? std::string_view(target.facts->path) : "the host"),
      interface_id(target.interface_id) {}

std::string FactoryTexts::words() const {
  const bool told = path == place || path.starts_with(place + "::");
  return cat(
      backend_name.empty() ? cat("'", path, "' of family ", family) : cat(family, ".", backend_name, " ('", path, "')"),
      told ? "" : cat(" in ", place));
}

}  // namespace bkr::core
