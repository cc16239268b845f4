// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_DISCOVER_CPU_H
#define BKR_DISCOVER_CPU_H

#include <string>
#include <vector>

namespace bkr::core {

// The levels of the x86-64 psABI that this machine and its system meet, lowest first: "x86-64", "x86-64-v2", …
// Empty on other machines.
const std::vector<std::string> &cpu_levels();

}  // namespace bkr::core

#endif  // BKR_DISCOVER_CPU_H
