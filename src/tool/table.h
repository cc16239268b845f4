// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TOOL_TABLE_H
#define BKR_TOOL_TABLE_H

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace bkr::tool {

// Rows of texts whose columns stand below each other. Rows may differ in length.
class Table {
 public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }

  // Writes every row behind `indent` blanks, two blanks between columns, none at the end of a line.
  void print(std::ostream &out, std::size_t indent) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace bkr::tool

#endif  // BKR_TOOL_TABLE_H
