// SPDX-License-Identifier: Apache-2.0
#include "resolve/provisions.h"

#include <algorithm>
#include <tuple>

#include "base/hash.h"
#include "base/text.h"

namespace bkr::core {

namespace {

uint64_t key_hash(std::string_view family, std::string_view path) noexcept {
  return hash_text(path) * 31 + hash_text(family);
}

}  // namespace

IndexedCatalog::IndexedCatalog(Catalog catalog) : catalog_(std::move(catalog)) {
  for (uint32_t f = 0; f < catalog_.files.size(); ++f) {
    const PluginFile &file = catalog_.files[f].file;
    if (!file.descriptor) continue;
    if (file.failure && file.failure->stage == BKR_STAGE_DUPLICATE) continue;  // its first name speaks for it
    for (uint32_t r = 0; r < file.descriptor->records.size(); ++r) {
      const Record &record = file.descriptor->records[r];
      providers_.push_back({f, r, key_hash(record.family, record.path)});
    }
  }
  // Files are in the order of directory and name already; only the level is to be put between. Few have a path in
  // common, so that the hash decides almost always.
  std::sort(providers_.begin(), providers_.end(), [this](const RecordRef &a, const RecordRef &b) {
    if (a.hash != b.hash) return a.hash < b.hash;
    const Record &left = record(a), &right = record(b);
    const auto key = [this](const RecordRef &ref, const Record &of) {
      return std::tuple(std::string_view(of.family), std::string_view(of.path), file(ref).directory,
                        -cpu_level_rank(of.cpu_level), ref.file, ref.record);
    };
    return key(a, left) < key(b, right);
  });
}

bool IndexedCatalog::same_path(const RecordRef &a, const RecordRef &b) const {
  return a.hash == b.hash && record(a).family == record(b).family && record(a).path == record(b).path;
}

std::span<const RecordRef> IndexedCatalog::providers(std::string_view family, std::string_view path) const {
  const auto is_asked = [&](const RecordRef &ref) { return record(ref).family == family && record(ref).path == path; };
  const uint64_t hash = key_hash(family, path);
  auto first = std::lower_bound(providers_.begin(), providers_.end(), hash,
                                [](const RecordRef &ref, uint64_t asked) { return ref.hash < asked; });
  while (first != providers_.end() && first->hash == hash && !is_asked(*first)) ++first;
  auto last = first;
  while (last != providers_.end() && last->hash == hash && is_asked(*last)) ++last;
  return {first, last};
}

namespace {

bool has_stage(const PluginFile &file, int32_t stage) { return file.failure && file.failure->stage == stage; }

bool is_barred(const PluginFile &file) {
  return has_stage(file, BKR_STAGE_POLICY) || has_stage(file, BKR_STAGE_DUPLICATE);
}

}  // namespace

std::vector<RecordMember> record_members(const IndexedCatalog &catalog) {
  std::vector<RecordMember> members;
  for (const CatalogFile &file : catalog.catalog().files) {
    if (!file.file.descriptor || is_barred(file.file)) continue;
    for (const Record &record : file.file.descriptor->records) {
      members.push_back({record.family, record.name, record.path, file.file.path});
    }
  }
  return members;
}

std::vector<const PluginFile *> barred_with(const IndexedCatalog &catalog, std::string_view family,
                                            std::string_view name) {
  std::vector<const PluginFile *> barred;
  for (const CatalogFile &file : catalog.catalog().files) {
    if (!file.file.descriptor || !has_stage(file.file, BKR_STAGE_POLICY)) continue;
    const std::vector<Record> &records = file.file.descriptor->records;
    if (std::any_of(records.begin(), records.end(),
                    [&](const Record &record) { return record.family == family && record.name == name; })) {
      barred.push_back(&file.file);
    }
  }
  return barred;
}

std::vector<std::string> ambiguous_providers(const IndexedCatalog &catalog) {
  std::vector<std::pair<RecordRef, RecordRef>> pairs;
  const RecordRef *first = nullptr;
  for (const RecordRef &ref : catalog.providers()) {
    const CatalogFile &file = catalog.file(ref);
    if (!file.file.usable()) continue;
    if (first && catalog.same_path(*first, ref) && catalog.file(*first).directory == file.directory &&
        catalog.record(*first).cpu_level == catalog.record(ref).cpu_level) {
      pairs.emplace_back(*first, ref);
    } else {
      first = &ref;
    }
  }
  const auto key = [&](const auto &pair) {
    const Record &record = catalog.record(pair.first);
    return std::pair(std::string_view(record.family), std::string_view(record.path));
  };
  std::stable_sort(pairs.begin(), pairs.end(), [&](const auto &a, const auto &b) { return key(a) < key(b); });
  std::vector<std::string> warnings;
  for (const auto &[used, other] : pairs) {
    const Record &record = catalog.record(used);
    warnings.push_back(cat("Two plugins provide '", record.path, "' of family ", record.family, ": ",
                           catalog.file(used).file.path, " is used, ", catalog.file(other).file.path,
                           " is not. Disable one of them in BKR_DISABLE."));
  }
  return warnings;
}

const InProcessProvider *Provisions::find_in_process(std::string_view family, std::string_view path) const {
  if (in_process->empty()) return nullptr;
  const auto found = in_process->find({std::string(family), std::string(path)});
  return found == in_process->end() ? nullptr : &found->second;
}

ProvisionTable::ProvisionTable() {
  auto empty = prepare(std::make_shared<IndexedCatalog>(Catalog{}));
  empty->in_process = std::make_shared<const std::map<ProviderKey, InProcessProvider>>();
  current_ = std::move(empty);
}

std::shared_ptr<const Provisions> ProvisionTable::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

template <class Change>
std::shared_ptr<const Provisions> ProvisionTable::change(const Change &apply) {
  const std::lock_guard lock(mutex_);
  auto next = std::make_shared<Provisions>(*current_);
  apply(*next);
  return current_ = std::move(next);
}

std::shared_ptr<Provisions> ProvisionTable::prepare(std::shared_ptr<const IndexedCatalog> catalog) {
  auto prepared = std::make_shared<Provisions>();
  prepared->catalog = std::move(catalog);
  return prepared;
}

void ProvisionTable::put(std::shared_ptr<Provisions> prepared) noexcept {
  const std::lock_guard lock(mutex_);
  prepared->in_process = current_->in_process;
  current_ = std::move(prepared);
}

void ProvisionTable::set_in_process(ProviderKey key, InProcessProvider provider) {
  change([&](Provisions &next) {
    auto providers = *next.in_process;
    if (provider.create) {
      providers[std::move(key)] = provider;
    } else {
      providers.erase(key);
    }
    next.in_process = std::make_shared<const std::map<ProviderKey, InProcessProvider>>(std::move(providers));
  });
}

std::shared_ptr<const Provisions> ProvisionTable::add_named(const std::string &path,
                                                            std::shared_ptr<const PluginFile> file) {
  return change([&](Provisions &next) { next.named[path] = std::move(file); });
}

}  // namespace bkr::core
