// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TOOL_DIAGNOSTICS_H
#define BKR_TOOL_DIAGNOSTICS_H

#include <backend_registry/registry.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace bkr::tool {

// A registry whose log goes to stderr, as lines of this tool. search_dirs and flags: those of bkr::config.
bkr::registry open_registry(const std::vector<std::string> &search_dirs = {}, uint32_t flags = 0);

// Writes a failure to stderr, whole; but not again if the library's log has just told it in the same words.
void report_failure(const std::string &text);

}  // namespace bkr::tool

#endif  // BKR_TOOL_DIAGNOSTICS_H
