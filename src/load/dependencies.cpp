// SPDX-License-Identifier: Apache-2.0
#include "load/dependencies.h"

#include <filesystem>
#include <set>

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

class Search {
 public:
  std::optional<DamagedDependency> look_at(const std::string &file, const Image &image) {
    const std::string directory = std::filesystem::path(file).parent_path().string();
    for (const std::string &name : image.needed) {
      if (name.find('/') != std::string::npos || DynamicLibrary::is_mapped(name)) continue;
      for (const std::string &place : places(image.search_path, directory)) {
        const std::string candidate = cat(place, "/", name);
        const Result<FileReader> reader = FileReader::open(candidate);
        if (!reader) continue;
        if (!seen_.insert(candidate).second) break;
        const Image found = read_image(*reader);
        if (found.failure && found.failure->status == BKR_WRONG_PLATFORM) continue;  // the system looks on, too
        if (found.failure) return DamagedDependency{candidate, file, found.failure->reason};
        if (auto further = look_at(candidate, found)) return further;
        break;
      }
    }
    return std::nullopt;
  }

 private:
  std::set<std::string> seen_;
};

}  // namespace

std::optional<DamagedDependency> find_damaged_dependency(const PluginFile &facts) {
  return Search().look_at(facts.path, facts.image);
}

}  // namespace bkr::core
