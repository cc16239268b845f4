// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TOOL_COMMANDS_H
#define BKR_TOOL_COMMANDS_H

#include <string>
#include <vector>

#include "member_name.h"

namespace bkr::tool {

// What the process ends with.
constexpr int kDone = 0;
constexpr int kFailed = 1;  // what was asked about is not there, not usable, or differs
constexpr int kUsage = 2;   // the command line itself is wrong

// The commands, one in each file of this folder; main.cpp says what they do. Each writes its answer to stdout (one
// JSON document if `json`) and returns kDone or kFailed. What the library refuses is thrown as bkr::error.
int list(const std::string &family, bool json);  // family empty: all
int show(const MemberName &name, bool json);
int why(const MemberName &name, bool json);
int scan(const std::vector<std::string> &dirs, bool json);
int inspect(const std::string &file, bool json);
// facts: texts KEY=VALUE.
int select(const std::string &family, const std::vector<std::string> &facts, const std::vector<std::string> &candidates,
           bool json);
int run(const MemberName &name, const std::string &case_file, bool json);

}  // namespace bkr::tool

#endif  // BKR_TOOL_COMMANDS_H
