// SPDX-License-Identifier: Apache-2.0
#include <backend_registry/version.h>

#include "base/text.h"
#include "describe/describe.h"
#include "describe/document.h"

namespace bkr::core {

namespace {

// What a record of a usable file is good for.
std::string record_use(const OpenedRegistry &registry, const IndexedCatalog &catalog, const CatalogFile &file,
                       const Record &record) {
  if (!check_cpu_level(record.cpu_level)) return "cpu level not met";
  if (file.file.failure) return cat("not used: ", stage_word(file.file.failure->stage));
  if (parse_path(record.path).kind != PathKind::dotted) return "not used: its path is not dotted";
  for (const RecordRef &ref : catalog.providers(record.family, record.path)) {
    const CatalogFile &other = catalog.file(ref);
    if (other.file.failure || !check_cpu_level(catalog.record(ref).cpu_level)) continue;
    if (&catalog.record(ref) != &record) return cat("shadowed by ", other.file.path);
    break;
  }
  const Family *family = registry.families().find(record.family);
  const Member *member = family ? family->find(record.name.c_str()) : nullptr;
  if (!member) return family ? "provides path: the name is not valid" : "provides path: no such family yet";
  const TaggedPath<MemberOrigin> own = member->default_path();
  if (!own.path() || own.path()->text() != record.path) {
    return cat("name taken: provides its path only; to choose it, override a member with '", record.path, "'");
  }
  return own.tag() == MemberOrigin::record ? "new member" : "provides default";
}

Document describe_environment(const OpenedRegistry &registry) {
  Document variables = Document::array();
  const std::shared_ptr<const Environment> environment = registry.environment();
  for (const VariableUse &use : variable_uses(*environment, registry.families())) {
    variables.push_back({{"name", use.variable->name},
                         {"value", use.variable->value},
                         {"state", use.state},
                         {"nearest", use.nearest.empty() ? Document(nullptr) : Document(use.nearest)}});
  }
  return variables;
}

}  // namespace

std::string describe_report(const OpenedRegistry &registry) {
  const std::shared_ptr<const Provisions> provisions = registry.provisions();
  const IndexedCatalog &indexed = *provisions->catalog;
  const Catalog &catalog = indexed.catalog();
  Document report;
  report["version"] = BKR_VERSION;
  report["abi"] = cat(BKR_ABI_MAJOR, ".", BKR_ABI_MINOR);
  report["epoch"] = registry.families().epoch();
  report["fingerprint"] = nullptr;  // comes with bkr_registry_fingerprint()
  report["elevated"] = registry.environment()->elevated();
  report["cpu_levels"] = own_cpu_levels();
  report["directories"] = Document::array();
  for (const SearchedDirectory &directory : catalog.directories) {
    Document entry;
    set_path(entry, "path", directory.path);
    entry["origin"] = origin_word(directory.origin);
    entry["state"] = directory.state;
    report["directories"].push_back(std::move(entry));
  }
  report["files"] = Document::array();
  for (const CatalogFile &file : catalog.files) {
    Document entry = describe_file(file.file);
    if (file.file.descriptor) {
      for (std::size_t r = 0; r < file.file.descriptor->records.size(); ++r) {
        entry["records"][r]["use"] = record_use(registry, indexed, file, file.file.descriptor->records[r]);
      }
    }
    report["files"].push_back(std::move(entry));
  }
  report["environment"] = describe_environment(registry);
  return to_text(report);
}

}  // namespace bkr::core
