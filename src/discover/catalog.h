// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_DISCOVER_CATALOG_H
#define BKR_DISCOVER_CATALOG_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "discover/plugin_file.h"
#include "discover/search_path.h"

namespace bkr::core {

// A search place as it was found.
struct SearchedDirectory {
  std::string path;  // canonical where it exists
  Origin origin;
  // "ok", "file" (a file named in BKR_PLUGIN_PATH), "missing", "denied", "not a directory", "already listed", or
  // "unreadable: …" with the system's own words.
  std::string state;
  std::vector<std::string> warnings;  // what the policy merely warns about
};

// A file in the place where it was found.
struct CatalogFile {
  PluginFile file;
  std::size_t directory = 0;  // index into Catalog::directories
  std::string name;           // its file name, as the directory lists it
};

// What discovery read, once: immutable, replaced as a whole by a rescan.
struct Catalog {
  std::vector<SearchedDirectory> directories;
  std::vector<CatalogFile> files;  // directories' order, then by the bytes of their names

  // The file that has this absolute path, canonical or as another of its names; null if discovery saw none. Never
  // an entry of stage "duplicate", but the one it duplicates.
  const CatalogFile *find(const std::string &path) const;

  // What find() looks in: the hash of each name, and where in `files` it is; sorted.
  std::vector<std::pair<uint64_t, std::size_t>> by_path;
};

// BKR_ENABLE and BKR_DISABLE: comma lists of globs (`*`, `?`, letters' case not counted) on plugin ids and file
// names. A file is used if it matches `enable`, or, where that is empty, if it does not match `disable`.
struct Filters {
  std::string enable;
  std::string disable;
  // Whether a file passes that has all these names (its plugin id among them); if not, `why` tells by which variable.
  bool allow(std::span<const std::string_view> names, std::string &why) const;
  bool allow(std::string_view plugin_id, std::string_view file_name, std::string &why) const;
};

// Reads the places: one level deep, names as has_library_suffix(), no dot files. A file met again under another
// name (same device and inode) is listed with stage "duplicate" and noted in the first one's `also`. The filters look
// at all names of a file, and not at all at a file that BKR_PLUGIN_PATH names. Only files with such a name are opened,
// and only those that `cache` does not know.
Catalog scan(const std::vector<SearchPlace> &places, const InspectRules &rules, const Filters &filters,
             ScanCache *cache = nullptr);

// Whether a file name ends as shared libraries do: .so with any number of .digits behind, .dll, .dylib (on Windows
// in any case).
bool has_library_suffix(std::string_view name) noexcept;

}  // namespace bkr::core

#endif  // BKR_DISCOVER_CATALOG_H
