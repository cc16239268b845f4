// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TOOL_FILE_TEXT_H
#define BKR_TOOL_FILE_TEXT_H

#include <ostream>

#include "document.h"

namespace bkr::tool {

// Whether a file's document (an element of the report's "files", or bkr_inspect()'s) says that backends can be made
// from it, by name or by `file::symbol`.
bool is_usable(const Document &file);

// Writes the verdict on a file for people: its path, what it holds or why it cannot be used, and what to do.
void print_file(std::ostream &out, const Document &file);

}  // namespace bkr::tool

#endif  // BKR_TOOL_FILE_TEXT_H
