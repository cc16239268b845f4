// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <iostream>

#include "commands.h"
#include "diagnostics.h"
#include "file_text.h"
#include "table.h"

namespace bkr::tool {

namespace {

// Directories that were named are all that is searched; the environment's filters and overrides hold all the same.
bkr::registry open_for(const std::vector<std::string> &dirs) {
  if (dirs.empty()) return open_registry();
#if defined(_WIN32)
  _putenv_s("BKR_PLUGIN_PATH", "");
#else
  unsetenv("BKR_PLUGIN_PATH");
#endif
  return open_registry(dirs, BKR_CONFIG_NO_DEFAULT_DIRS);
}

std::string origin_text(const Document &directory) {
  const std::string origin = text_at(directory, "origin");
  if (origin == "config") return "named here";
  if (origin == "environment") return "BKR_PLUGIN_PATH";
  if (origin == "user") return "the user's";
  if (origin == "library") return "beside the library";
  return origin;
}

void print_directories(std::ostream &out, const Document &report) {
  out << "Directories, in the order in which they are searched\n";
  Table table;
  for (const Document &directory : report["directories"]) {
    table.add({text_at(directory, "state"), origin_text(directory), path_at(directory, "path")});
  }
  if (table.empty()) out << "  none\n";
  table.print(out, 2);
}

void print_files(std::ostream &out, const Document &report) {
  out << "\nFiles\n";
  if (report["files"].empty()) out << "  none\n";
  bool first = true;
  for (const Document &file : report["files"]) {
    if (!first) out << '\n';
    print_file(out, file);
    first = false;
  }
}

void print_environment(std::ostream &out, const Document &report) {
  if (report["environment"].empty()) return;
  out << "\nEnvironment\n";
  Table table;
  for (const Document &variable : report["environment"]) {
    const std::string nearest = text_at(variable, "nearest");
    table.add({text_at(variable, "name") + "=" + text_at(variable, "value"),
               text_at(variable, "state") + (nearest.empty() ? "" : "; did you mean " + nearest + "?")});
  }
  table.print(out, 2);
}

// A directory that was asked for by name and could not be read.
bool failed(const Document &directory) {
  const std::string state = text_at(directory, "state");
  return text_at(directory, "origin") == "config" && state != "ok" && state != "already listed";
}

}  // namespace

int scan(const std::vector<std::string> &dirs, bool json) {
  const bkr::registry registry = open_for(dirs);
  const Document report = Document::parse(registry.report());
  if (json) {
    std::cout << to_text(report) << '\n';
  } else {
    print_directories(std::cout, report);
    print_files(std::cout, report);
    print_environment(std::cout, report);
  }
  int result = kDone;
  for (const Document &directory : report["directories"]) {
    if (!failed(directory)) continue;
    report_failure(path_at(directory, "path") + ": " + text_at(directory, "state"));
    result = kFailed;
  }
  return result;
}

}  // namespace bkr::tool
