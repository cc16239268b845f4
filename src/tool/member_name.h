// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TOOL_MEMBER_NAME_H
#define BKR_TOOL_MEMBER_NAME_H

#include <backend_registry/registry.hpp>
#include <string>

namespace bkr::tool {

// FAMILY.NAME, as the command line has it.
struct MemberName {
  std::string family;
  std::string name;
  std::string text() const { return family + '.' + name; }
};

// Splits at the first dot. `wrong` says what a text has that is no FAMILY.NAME; it is empty where all is well.
MemberName parse_member_name(const std::string &text, std::string &wrong);

// Throws the library's own words where there is no such family or name.
bkr::member find(const bkr::registry &registry, const MemberName &name);

}  // namespace bkr::tool

#endif  // BKR_TOOL_MEMBER_NAME_H
