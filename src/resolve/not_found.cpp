// SPDX-License-Identifier: Apache-2.0
#include "resolve/not_found.h"

#include <algorithm>

#include "base/text.h"

namespace bkr::core {

std::string places_looked_in(const Catalog &catalog) {
  if (catalog.directories.empty()) return "Looked in: no directory at all.";
  std::string text = "Looked in:";
  for (std::size_t d = 0; d < catalog.directories.size(); ++d) {
    const SearchedDirectory &directory = catalog.directories[d];
    const auto count = std::count_if(catalog.files.begin(), catalog.files.end(),
                                     [d](const CatalogFile &file) { return file.directory == d; });
    text += cat("\n  ", directory.path, " (", origin_word(directory.origin), "): ", directory.state);
    if (directory.state == "ok") text += cat(", ", count, count == 1 ? " library" : " libraries");
  }
  return text;
}

Failure not_found(const Question &question, const Catalog &catalog) {
  return {BKR_NOT_FOUND, BKR_STAGE_NONE, cat("No plugin provides ", question.words(), ".\n", places_looked_in(catalog)),
          cat("Drop a plugin whose record declares this path into one of them and rescan, add its directory to "
              "BKR_PLUGIN_PATH, or override the member with the plugin's file; `bkr scan` shows what was found."),
          0};
}

Failure file_name_not_found(const Question &question, const Catalog &catalog) {
  return {BKR_NOT_FOUND, BKR_STAGE_NONE,
          cat("No file of the name of ", question.words(), " was found.\n", places_looked_in(catalog)),
          cat("A name without a directory is looked for there only, never in the working directory; give the file "
              "with its directory to name it wherever it lies."),
          0};
}

Failure file_not_found(const Question &question, const std::string &file) {
  return {BKR_NOT_FOUND, BKR_STAGE_OPEN, cat(question.words(), ": the file ", file, " does not exist."),
          question.variable.empty()
              ? "Nothing else is used in its place. Correct the path, or clear the override."
              : cat("Nothing else is used in its place. Correct or unset ", question.variable, "."),
          0};
}

Failure bad_path(const Question &question) {
  return {BKR_BAD_PATH, BKR_STAGE_NONE, cat(question.words(), " does not lead anywhere."),
          "A path is `package.module.Class`, or a library's file, optionally with `::symbol`.", 0};
}

}  // namespace bkr::core
