// SPDX-License-Identifier: Apache-2.0
#include "registry/qualified_path.h"

#include <filesystem>
#include <system_error>

#include "base/text.h"

namespace bkr::core {

Result<std::string> check_path(std::string_view text, const ParsedPath &parsed) {
  if (text.empty()) {
    return fail(BKR_BAD_PATH, "'' is an empty path.",
                "Give `package.module.Class` or `file::symbol`; to take an override back, clear it.");
  }
  if (text.size() > kMaxPathSize) {
    return fail(BKR_BAD_PATH,
                cat("'", text.substr(0, utf8_prefix(text, 64)), "…' is longer than the ", kMaxPathSize,
                    " bytes that a path may have."),
                "Give a shorter one; a link to the file may have one.");
  }
  if (parsed.kind != PathKind::file) return std::string();
  if (parsed.trailing_separator) {
    return fail(BKR_BAD_PATH, cat("'", text, "' ends in a separator, so it names a directory."),
                "Name the library's file; to search a directory, put it into BKR_PLUGIN_PATH.");
  }
  if (!parsed.has_directory || parsed.is_absolute) return std::string(parsed.file);

  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  if (error) {
    Failure failure{BKR_BAD_PATH, BKR_STAGE_NONE,
                    cat("'", text, "' is relative, but the working directory cannot be told: ", error.message(), "."),
                    "Give an absolute path.", error.value()};
    return fail(std::move(failure));
  }
  return (here / std::filesystem::path(parsed.file)).lexically_normal().string();
}

}  // namespace bkr::core
