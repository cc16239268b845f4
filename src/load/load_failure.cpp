// SPDX-License-Identifier: Apache-2.0
#include "load/load_failure.h"

#include <filesystem>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "load/dynamic_library.h"

namespace bkr::core {

namespace {

struct MissingLibrary {
  std::string name;
  std::string needed_by;
};

bool is_missing(const std::string &name, std::string_view system_text) {
  return system_text.starts_with(name) && system_text.substr(name.size()).starts_with(':') &&
         !DynamicLibrary::is_mapped(name);
}

std::optional<MissingLibrary> find_missing(const PluginFile &facts, std::string_view system_text) {
  for (const std::string &name : facts.image.needed) {
    if (is_missing(name, system_text)) return MissingLibrary{name, facts.path};
  }
  const std::filesystem::path directory = std::filesystem::path(facts.path).parent_path();
  for (const std::string &name : facts.image.needed) {
    const std::string beside = (directory / name).string();
    const Result<FileReader> file = FileReader::open(beside);
    if (!file) continue;
    for (const std::string &further : read_image(*file).needed) {
      if (is_missing(further, system_text)) return MissingLibrary{further, beside};
    }
  }
  return std::nullopt;
}

}  // namespace

Failure explain_load_failure(const PluginFile &facts, const std::string &system_text) {
  if (const std::optional<MissingLibrary> missing = find_missing(facts, system_text)) {
    return {
        BKR_DEPENDENCY_MISSING, BKR_STAGE_LOAD,
        cat(facts.path, " cannot be loaded: ", missing->needed_by == facts.path ? "it" : missing->needed_by, " needs ",
            missing->name, ", which is not found. The system says: ", sentence(system_text)),
        cat("Install ", missing->name, ", or put it beside the plugin and link the plugin with -Wl,-rpath,'$ORIGIN'."),
        0};
  }
  return {BKR_LOAD_FAILED, BKR_STAGE_LOAD,
          cat(facts.path, " cannot be loaded. The system says: ", sentence(system_text)),
          "If a symbol is missing, the plugin was linked without the library that has it, or built for another version "
          "of it (link with -Wl,--no-undefined to see that earlier).",
          0};
}

}  // namespace bkr::core
