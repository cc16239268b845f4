// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "layer.h"

namespace engine {

bkr::backend choose(const bkr::registry &registry, const char *family, std::vector<bkr_option> facts) {
  bkr::selection wanted;
  wanted.facts = std::move(facts);
  const bkr::selected chosen = registry.find_family(family).select(wanted);
  bkr::backend backend = chosen.member.load().create();
  backend.init();
  std::cout << family << " with";
  for (const bkr_option &fact : wanted.facts) std::cout << ' ' << fact.key << '=' << fact.value;
  std::cout << ": " << chosen.member.name() << '\n';
  return backend;
}

}  // namespace engine
