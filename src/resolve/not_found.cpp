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
  const std::string_view drop =
      catalog.directories.empty()
          ? "Add the directory of a plugin whose record declares this path to BKR_PLUGIN_PATH and rescan"
          : "Drop a plugin whose record declares this path into one of them and rescan, add its directory to "
            "BKR_PLUGIN_PATH";
  const std::string_view name =
      question.member.empty() ? "name the plugin's file" : "override the member with the plugin's file";
  return {BKR_NOT_FOUND, BKR_STAGE_NONE, cat("No plugin provides ", question.words(), ".\n", places_looked_in(catalog)),
          cat(drop, ", or ", name, "; `bkr scan` shows what was found."), 0};
}

Failure file_name_not_found(const Question &question, const Catalog &catalog) {
  return {BKR_NOT_FOUND, BKR_STAGE_NONE,
          cat(question.words(), ": no file of this name was found.\n", places_looked_in(catalog)),
          cat("A name without a directory is looked for there only, never in the working directory; give the file "
              "with its directory to name it wherever it lies."),
          0};
}

Failure file_not_found(const Question &question, Failure failure) {
  failure.next =
      cat("Nothing else is used in its place. ",
          !question.variable.empty() ? cat("Correct or unset ", question.variable, ".")
          : question.member.empty()  ? std::string("Correct the path.")
                                     : std::string("Put the file there, or override the member with another path."));
  return question.about(std::move(failure));
}

Failure bad_path(const Question &question) {
  // A path of the environment that had to be refused comes here, too.
  const std::string_view text = question.path->text();
  if (const Result<std::string> good = check_path(text, parse_path(text)); !good) return question.about(good.error());
  return {BKR_BAD_PATH, BKR_STAGE_NONE, cat(question.words(), " does not lead anywhere."),
          "A path is `package.module.Class`, or a library's file, optionally with `::symbol`.", 0};
}

}  // namespace bkr::core
