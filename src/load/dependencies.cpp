// SPDX-License-Identifier: Apache-2.0
#include "load/dependencies.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

#include "base/text.h"
#include "load/dynamic_library.h"

namespace bkr::core {

namespace {

// The places of a search path: absolute ones, and $ORIGIN with the directory put in its place.
std::vector<std::string> places(const std::string &search_path, const std::string &directory) {
  std::vector<std::string> found;
  for (const std::string_view item : split(search_path, ':')) {
    for (const std::string_view word : {"$ORIGIN", "${ORIGIN}"}) {
      if (item.starts_with(word)) found.push_back(cat(directory, item.substr(word.size())));
    }
    if (item.starts_with('/')) found.emplace_back(item);
  }
  return found;
}

// Where the system's loader may look for a library, as far as the file that needs it tells.
std::vector<std::string> candidates(const std::string &name, const std::string &search_path, const std::string &file) {
  if (name.find('/') != std::string::npos) return {name};
  std::vector<std::string> found = places(search_path, std::filesystem::path(file).parent_path().string());
  for (std::string &place : found) place += "/" + name;
  return found;
}

}  // namespace

std::optional<DamagedDependency> find_damaged_dependency(const PluginFile &facts) {
  const std::vector<std::string> &all = facts.image.needed;
  if (std::all_of(all.begin(), all.end(), DynamicLibrary::is_mapped)) return std::nullopt;
  struct Needing {
    std::string file;
    std::vector<std::string> needed;
    std::string search_path;
  };
  std::set<std::string> seen;
  // A list to work off, not a recursion: chains of libraries may be long, and a thread's stack short.
  std::vector<Needing> open = {{facts.path, facts.image.needed, facts.image.search_path}};
  while (!open.empty()) {
    const Needing needing = std::move(open.back());
    open.pop_back();
    for (const std::string &name : needing.needed) {
      if (DynamicLibrary::is_mapped(name)) continue;
      for (const std::string &candidate : candidates(name, needing.search_path, needing.file)) {
        const Result<FileReader> reader = FileReader::open(candidate);
        if (!reader) continue;
        if (!seen.insert(candidate).second) break;
        Image found = read_image(*reader);
        if (found.failure && found.failure->status == BKR_WRONG_PLATFORM) continue;  // the system looks on, too
        if (found.failure) return DamagedDependency{candidate, needing.file, found.failure->reason};
        open.push_back({candidate, std::move(found.needed), std::move(found.search_path)});
        break;
      }
    }
  }
  return std::nullopt;
}

}  // namespace bkr::core
