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

void write_directory(JsonWriter &json, const SearchedDirectory &directory) {
  json.object([&] {
    write_path(json, "path", directory.path);
    json.key("origin").string(origin_word(directory.origin));
    json.key("state").string(directory.state);
  });
}

void write_variable(JsonWriter &json, const VariableUse &use) {
  json.object([&] {
    json.key("name").string(use.variable->name);
    json.key("value").string(use.variable->value);
    json.key("state").string(use.state);
    json.key("nearest").string_or_null(use.nearest);
  });
}

}  // namespace

std::string describe_report(const OpenedRegistry &registry) {
  const std::shared_ptr<const Provisions> provisions = registry.provisions();
  const std::shared_ptr<const Environment> environment = registry.environment();
  const IndexedCatalog &indexed = *provisions->catalog;
  const Catalog &catalog = indexed.catalog();
  JsonWriter json;
  json.object([&] {
    json.key("version").string(BKR_VERSION);
    json.key("abi").string(cat(BKR_ABI_MAJOR, ".", BKR_ABI_MINOR));
    json.key("epoch").number(registry.families().epoch());
    json.key("fingerprint").null();  // comes with bkr_registry_fingerprint()
    json.key("elevated").boolean(environment->elevated());
    json.key("cpu_levels").array([&] {
      for (const std::string &level : own_cpu_levels()) json.string(level);
    });
    json.key("directories").array([&] {
      for (const SearchedDirectory &directory : catalog.directories) write_directory(json, directory);
    });
    json.key("files").array([&] {
      for (const CatalogFile &file : catalog.files) {
        json.object([&] {
          write_file(json, file.file,
                     [&](const Record &record) { return record_use(registry, indexed, file, record); });
        });
      }
    });
    json.key("environment").array([&] {
      for (const VariableUse &use : variable_uses(*environment, registry.families())) write_variable(json, use);
    });
  });
  return json.take();
}

}  // namespace bkr::core
