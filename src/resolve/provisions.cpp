// SPDX-License-Identifier: Apache-2.0
#include "resolve/provisions.h"

#include <algorithm>

#include "base/text.h"

namespace bkr::core {

IndexedCatalog::IndexedCatalog(Catalog catalog) : catalog_(std::move(catalog)) {
  for (std::size_t f = 0; f < catalog_.files.size(); ++f) {
    const PluginFile &file = catalog_.files[f].file;
    if (!file.descriptor) continue;
    if (file.failure && file.failure->stage == BKR_STAGE_DUPLICATE) continue;  // its first name speaks for it
    for (std::size_t r = 0; r < file.descriptor->records.size(); ++r) {
      const Record &record = file.descriptor->records[r];
      providers_[{record.family, record.path}].push_back({f, r});
    }
  }
  for (auto &[key, refs] : providers_) {
    // Files are in the order of directory and name already; only the level is to be put between.
    std::stable_sort(refs.begin(), refs.end(), [this](const RecordRef &a, const RecordRef &b) {
      if (file(a).directory != file(b).directory) return file(a).directory < file(b).directory;
      return cpu_level_rank(record(a).cpu_level) > cpu_level_rank(record(b).cpu_level);
    });
  }
}

std::span<const RecordRef> IndexedCatalog::providers(std::string_view family, std::string_view path) const {
  const auto found = providers_.find(ProviderKey(family, path));
  return found == providers_.end() ? std::span<const RecordRef>() : found->second;
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
  std::vector<std::string> warnings;
  for (const auto &[key, refs] : catalog.providers()) {
    const RecordRef *first = nullptr;
    for (const RecordRef &ref : refs) {
      const CatalogFile &file = catalog.file(ref);
      if (!file.file.usable()) continue;
      if (first && catalog.file(*first).directory == file.directory &&
          catalog.record(*first).cpu_level == catalog.record(ref).cpu_level) {
        warnings.push_back(cat("Two plugins provide '", key.second, "' of family ", key.first, ": ",
                               catalog.file(*first).file.path, " is used, ", file.file.path,
                               " is not. Disable one of them in BKR_DISABLE."));
      } else {
        first = &ref;
      }
    }
  }
  return warnings;
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
void ProvisionTable::change(const Change &apply) {
  const std::lock_guard lock(mutex_);
  auto next = std::make_shared<Provisions>(*current_);
  apply(*next);
  current_ = std::move(next);
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

void ProvisionTable::add_named(const std::string &path, std::shared_ptr<const PluginFile> file) {
  change([&](Provisions &next) { next.named[path] = std::move(file); });
}

}  // namespace bkr::core
