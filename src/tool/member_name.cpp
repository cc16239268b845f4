// SPDX-License-Identifier: Apache-2.0
#include "member_name.h"

namespace bkr::tool {

MemberName parse_member_name(const std::string &text, std::string &wrong) {
  const std::size_t dot = text.find('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == text.size()) {
    wrong = "'" + text + "' is no FAMILY.NAME; write e.g. attention.CPU_ATTN";
    return {};
  }
  return {text.substr(0, dot), text.substr(dot + 1)};
}

bkr::member find(const bkr::registry &registry, const MemberName &name) {
  return registry.find_family(name.family).find_member(name.name);
}

}  // namespace bkr::tool
