// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "commands.h"
#include "file_text.h"
#include "table.h"

namespace bkr::tool {

namespace {

std::string joined(const Document &words) {
  std::string text;
  for (const Document &word : words) text += (text.empty() ? "" : ", ") + word.get<std::string>();
  return text;
}

}  // namespace

int inspect(const std::string &file, bool json) {
  const Document document = Document::parse(bkr::inspect(file));
  if (json) {
    std::cout << to_text(document) << '\n';
  } else {
    print_file(std::cout, document);
    Table table;
    table.add({"format", or_dash(text_at(document, "format"))});
    table.add({"machine", or_dash(text_at(document, "machine"))});
    table.add({"needs", or_dash(joined(document["needed"]))});
    table.add({"exports create_backend", document["exports_create_backend"].get<bool>() ? "yes" : "no"});
    std::cout << '\n';
    table.print(std::cout, 4);
  }
  return is_usable(document) ? kDone : kFailed;
}

}  // namespace bkr::tool
