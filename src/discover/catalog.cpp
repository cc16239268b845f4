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
    catalog_.by_path.reserve(catalog_.files.size());
    for (std::size_t i = 0; i < catalog_.files.size(); ++i) {
      if (met_[i].duplicate) continue;
      if (!met_[i].named) filter(catalog_.files[i]);
      const PluginFile &file = catalog_.files[i].file;
      catalog_.by_path.emplace_back(hash_text(file.path), i);
      for (const std::string &name : file.also) catalog_.by_path.emplace_back(hash_text(name), i);
    }
    std::sort(catalog_.by_path.begin(), catalog_.by_path.end(), [](const auto &a, const auto &b) {
      return a.first != b.first ? a.first < b.first : a.second < b.second;
    });
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
    std::string path = base;
    for (const DirectoryEntry &entry : directory.entries) {
      path.replace(base.size(), path.npos, entry.name);
      CatalogFile &added = catalog_.files.emplace_back();
      added.directory = index;
      added.name = entry.name;
      if (entry.regular) {
        added.file.path = path;
        inspect_canonical_file(added.file, rules_, cache_, directory.handle);
      } else {
        added.file = inspect_file(path, rules_, cache_);
      }
      if (refused) apply_policy(fault, rules_, added.file);
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
      met_[found].named |= named;
      mark_duplicate(file, path, catalog_.files[found]);
    } else {
      if (opened && file.path != path) file.also.push_back(path);
      if (opened && !refused) {
        seen_.make_room(1, hash_of);
        seen_.add(inode.hash(), static_cast<uint32_t>(catalog_.files.size() - 1));
      }
    }
    met_.push_back({named, again});
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
  struct Met {
    bool named;  // by BKR_PLUGIN_PATH itself
    bool duplicate;
  };
  std::vector<Met> met_;  // beside catalog_.files
  FlatIndex seen_;        // in catalog_.files, by inode
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

}  // namespace bkr::core
