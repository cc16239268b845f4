// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_RESOLVE_PROVISIONS_H
#define BKR_RESOLVE_PROVISIONS_H

#include <backend_registry/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fork_safe_mutex.h"
#include "discover/catalog.h"
#include "registry/family_set.h"

namespace bkr::core {

// A create function inside the host.
struct InProcessProvider {
  bkr_create_backend_fn create = nullptr;
  void *user = nullptr;
  bool operator==(const InProcessProvider &) const = default;
};

// (family, path)
using ProviderKey = std::pair<std::string, std::string>;

// One record in a catalog.
struct RecordRef {
  uint32_t file = 0;    // index into Catalog::files
  uint32_t record = 0;  // index into its descriptor's records
  uint64_t hash = 0;    // of its family and path
};

// A catalog with the providers of each (family, path) in the order of precedence: directory, then CPU level
// (highest first), then file name.
class IndexedCatalog {
 public:
  explicit IndexedCatalog(Catalog catalog);
  const Catalog &catalog() const noexcept { return catalog_; }
  std::span<const RecordRef> providers(std::string_view family, std::string_view path) const;
  // All of them; those of one (family, path) are neighbours.
  std::span<const RecordRef> providers() const noexcept { return providers_; }
  bool same_path(const RecordRef &a, const RecordRef &b) const;
  const CatalogFile &file(const RecordRef &ref) const { return catalog_.files[ref.file]; }
  const Record &record(const RecordRef &ref) const { return file(ref).file.descriptor->records[ref.record]; }

 private:
  const Catalog catalog_;
  std::vector<RecordRef> providers_;  // by the hash of family and path, then by these
};

// What the records of a catalog ask to be members, in the order of precedence of their files. Files that may not be
// used here (filters, policy, duplicates) bring no names; those that only do not fit this machine do, so that asking
// for such a name tells why.
std::vector<RecordMember> record_members(const IndexedCatalog &catalog);

// The files with a record that would bring this name, and that may not be used here (filters, policy).
std::vector<const PluginFile *> barred_with(const IndexedCatalog &catalog, std::string_view family,
                                            std::string_view name);

// Records of one directory that provide the same path at the same CPU level, a line for each pair: the first by file
// name wins.
std::vector<std::string> ambiguous_providers(const IndexedCatalog &catalog);

// Everything that can supply a path, at one moment. Immutable.
struct Provisions {
  std::shared_ptr<const IndexedCatalog> catalog;
  std::shared_ptr<const std::map<ProviderKey, InProcessProvider>> in_process;
  // Files outside the catalog that were named and looked at, by the absolute path they were named by.
  std::map<std::string, std::shared_ptr<const PluginFile>, std::less<>> named;

  // The host's own function for a path; null if there is none.
  const InProcessProvider *find_in_process(std::string_view family, std::string_view path) const;
};

// The current provisions of a registry; each change makes new ones, so that who holds the old sees no change.
class ProvisionTable {
 public:
  ProvisionTable();
  std::shared_ptr<const Provisions> current() const;

  // A new catalog, in two steps: what needs memory, and what cannot fail. It also forgets the named files: a rescan
  // looks anew.
  static std::shared_ptr<Provisions> prepare(std::shared_ptr<const IndexedCatalog> catalog);
  void put(std::shared_ptr<Provisions> prepared) noexcept;

  void set_in_process(ProviderKey key, InProcessProvider provider);  // a null function withdraws
  // Gives the provisions with it: in the current ones it may be forgotten again by a rescan on another thread.
  std::shared_ptr<const Provisions> add_named(const std::string &path, std::shared_ptr<const PluginFile> file);

 private:
  template <class Change>
  std::shared_ptr<const Provisions> change(const Change &apply);
  mutable ForkSafeMutex mutex_;
  std::shared_ptr<const Provisions> current_;
};

}  // namespace bkr::core

#endif  // BKR_RESOLVE_PROVISIONS_H
