// SPDX-License-Identifier: Apache-2.0
#include "discover/catalog.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/flat_index.h"
#include "base/hash.h"
#include "base/text.h"
#include "discover/directory.h"
#include "discover/policy.h"

namespace bkr::core {

namespace {

std::string_view last_component(std::string_view path) noexcept {
  return path.substr(path.find_last_of("/\\") + 1);  // npos + 1 is 0
}

std::string state_of(const Failure &failure) {
  if (failure.status == BKR_NOT_FOUND) return "missing";
  if (failure.status == BKR_BAD_FILE) return "not a directory";
  if (failure.native_code == EACCES) return "denied";
  return "unreadable: " + std::generic_category().message(failure.native_code);
}

bool is_candidate(std::string_view name) noexcept { return name.front() != '.' && has_library_suffix(name); }

class Scanner {
 public:
  Scanner(const InspectRules &rules, const Filters &filters, ScanCache *cache)
      : rules_(rules), filters_(filters), cache_(cache) {}

  void place(const SearchPlace &place) {
    const std::size_t index = catalog_.directories.size();
    catalog_.directories.push_back({place.path, place.origin, "ok", {}});
    const auto canonical = canonical_path(place.path);
    if (!canonical) {
      catalog_.directories[index].state = state_of(canonical.error());
      return;
    }
    catalog_.directories[index].path = *canonical;
    auto directory = read_directory(*canonical, is_candidate);
    if (directory) {
      list(index, *directory);
    } else if (directory.error().status == BKR_BAD_FILE && place.origin == Origin::environment) {
      catalog_.directories[index].state = "file";
      const std::string name(last_component(place.path));
      catalog_.files.push_back({inspect_file(place.path, rules_, cache_), index, name});
      settle(place.path, true, false);
    } else {
      catalog_.directories[index].state = state_of(directory.error());
    }
  }

  Catalog finish() {
    for (std::size_t i = 0; i < catalog_.files.size(); ++i) {
      if (duplicate_[i]) continue;
      if (!named_[i]) filter(catalog_.files[i]);
      const PluginFile &file = catalog_.files[i].file;
      catalog_.by_path.emplace_back(hash_text(file.path), i);
      for (const std::string &name : file.also) catalog_.by_path.emplace_back(hash_text(name), i);
    }
    std::sort(catalog_.by_path.begin(), catalog_.by_path.end());
    return std::move(catalog_);
  }

 private:
  void list(std::size_t index, const Directory &directory) {
    SearchedDirectory &searched = catalog_.directories[index];
    const Inode own(directory.identity);
    if (std::find(listed_.begin(), listed_.end(), own) != listed_.end()) {
      searched.state = "already listed";
      return;
    }
    listed_.push_back(own);
    const std::optional<PolicyFault> fault = policy_fault(searched.path, directory.ownership);
    const bool refused = fault && (rules_.strict || rules_.elevated);
    if (fault) searched.warnings.push_back(fault->warning());
    const std::string base = searched.path == "/" ? searched.path : searched.path + "/";
    const std::size_t needed = catalog_.files.size() + directory.entries.size();
    if (needed > catalog_.files.capacity()) {
      catalog_.files.reserve(std::max(needed, 2 * catalog_.files.size()));  // one by one, small directories would cost
    }
    for (const DirectoryEntry &entry : directory.entries) {
      const std::string path = cat(base, entry.name);
      catalog_.files.push_back({entry.regular ? inspect_canonical_file(path, rules_, cache_, directory.handle)
                                              : inspect_file(path, rules_, cache_),
                                index, std::string(entry.name)});
      if (refused) apply_policy(fault, rules_, catalog_.files.back().file);
      settle(path, false, refused);
    }
  }

  // Puts the file that was added last, under the name `path`, among those that were met before. `refused`: the place is
  // not to be trusted, which is no verdict on another name of the same file.
  void settle(const std::string &path, bool named, bool refused) {
    PluginFile &file = catalog_.files.back().file;
    const auto inode_of = [&](std::size_t number) { return Inode(catalog_.files[number].file.identity); };
    const auto hash_of = [&](uint32_t number) { return inode_of(number).hash(); };
    const Inode inode(file.identity);
    const bool opened = file.identity != FileIdentity{};
    const uint32_t found = opened ? seen_.find(inode.hash(), [&](uint32_t number) { return inode_of(number) == inode; })
                                  : FlatIndex::kNone;
    const bool again = found != FlatIndex::kNone;
    if (again) {
      named_[found] = named_[found] || named;
      mark_duplicate(file, path, catalog_.files[found]);
    } else {
      if (opened && file.path != path) file.also.push_back(path);
      if (opened && !refused) {
        seen_.make_room(1, hash_of);
        seen_.add(inode.hash(), static_cast<uint32_t>(catalog_.files.size() - 1));
      }
    }
    named_.push_back(named);
    duplicate_.push_back(again);
  }

  void mark_duplicate(PluginFile &file, const std::string &path, CatalogFile &first) {
    std::vector<std::string> &also = first.file.also;
    const bool known = path == first.file.path || std::find(also.begin(), also.end(), path) != also.end();
    const std::string &first_name = also.empty() ? first.file.path : also.front();
    file.path = path;
    file.failure = Failure{BKR_ALREADY_EXISTS, BKR_STAGE_DUPLICATE,
                           known && path == first_name ? cat(path, " is listed twice.")
                                                       : cat(path, " is the same file as ", first.file.path,
                                                             ", which was found first as ", first.name, "."),
                           "Nothing to do: the file counts once, under all its names.", 0};
    if (!known) also.push_back(path);
  }

  void filter(CatalogFile &entry) const {
    PluginFile &file = entry.file;
    if (file.failure || (filters_.enable.empty() && filters_.disable.empty())) return;
    std::vector<std::string_view> names = {entry.name, last_component(file.path)};
    for (const std::string &name : file.also) names.push_back(last_component(name));
    if (file.descriptor) names.push_back(file.descriptor->plugin_id);
    std::string why;
    if (filters_.allow(names, why)) return;
    file.failure = Failure{BKR_DENIED, BKR_STAGE_POLICY, cat(file.path, " is turned off: ", why, "."),
                           "Change that variable to use the file, or name the file itself.", 0};
  }

  const InspectRules &rules_;
  const Filters &filters_;
  ScanCache *const cache_;
  Catalog catalog_;
  std::vector<bool> named_;      // beside catalog_.files: named by BKR_PLUGIN_PATH itself
  std::vector<bool> duplicate_;  // beside catalog_.files
  FlatIndex seen_;               // in catalog_.files, by inode
  std::vector<Inode> listed_;
};

}  // namespace

const CatalogFile *Catalog::find(const std::string &path) const {
  const uint64_t hash = hash_text(path);
  auto at = std::lower_bound(by_path.begin(), by_path.end(), std::pair(hash, std::size_t{0}));
  for (; at != by_path.end() && at->first == hash; ++at) {
    const PluginFile &file = files[at->second].file;
    if (file.path == path || std::find(file.also.begin(), file.also.end(), path) != file.also.end()) {
      return &files[at->second];
    }
  }
  return nullptr;
}

Catalog scan(const std::vector<SearchPlace> &places, const InspectRules &rules, const Filters &filters,
             ScanCache *cache) {
  Scanner scanner(rules, filters, cache);
  for (const SearchPlace &place : places) scanner.place(place);
  return scanner.finish();
}

bool has_library_suffix(std::string_view name) noexcept {
  const auto ends_with = [](std::string_view text, std::string_view suffix) {
    if (text.size() < suffix.size()) return false;
    return std::equal(suffix.begin(), suffix.end(), text.end() - static_cast<std::ptrdiff_t>(suffix.size()),
                      [](char a, char b) {
#if defined(_WIN32)
                        if (b >= 'A' && b <= 'Z') b = static_cast<char>(b - 'A' + 'a');
#endif
                        return a == b;
                      });
  };
  if (ends_with(name, ".dll") || ends_with(name, ".dylib")) return true;
  // Any number of ".digits" behind ".so".
  for (;;) {
    if (ends_with(name, ".so")) return true;
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot + 1 == name.size()) return false;
    const auto digits = name.substr(dot + 1);
    if (!std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; })) return false;
    name = name.substr(0, dot);
  }
}

}  // namespace bkr::core
