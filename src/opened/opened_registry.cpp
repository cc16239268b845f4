// SPDX-License-Identifier: Apache-2.0
#include "opened/opened_registry.h"

#include <filesystem>
#include <system_error>

#include "base/text.h"
#include "discover/directory.h"
#include "load/load.h"
#include "registry/name_failures.h"

namespace bkr::core {

Result<std::unique_ptr<OpenedRegistry>> OpenedRegistry::open(const bkr_config *config,
                                                             std::initializer_list<bkr_service> core_services) {
  Result<Settings> settings = copy_settings(config);
  if (!settings) return fail(std::move(settings.error()));
  auto &services = settings->services;
  std::size_t count = 0;
  for (const bkr_service &service : core_services) {
    services.emplace(services.begin() + static_cast<std::ptrdiff_t>(count++), service.id, service.table);
  }
  auto environment =
      std::make_shared<const Environment>(Environment::capture(!(settings->flags & BKR_CONFIG_NO_ENVIRONMENT)));
  // Asks the system's loader, which a rescan may not do under its lock.
  if (!(settings->flags & BKR_CONFIG_NO_DEFAULT_DIRS)) own_library_path();
  std::unique_ptr<OpenedRegistry> opened(new OpenedRegistry(std::move(*settings), std::move(environment)));
  opened->rescan();
  return opened;
}

OpenedRegistry::OpenedRegistry(Settings settings, std::shared_ptr<const Environment> environment)
    : settings_(std::move(settings)),
      log_(std::make_shared<Log>(log_level(settings_, *environment), settings_.log, settings_.log_user)),
      host_(std::make_shared<HostContext>(log_, settings_.services)),
      environment_(std::move(environment)) {
  set_threads(0);
  host_->registry.store(this, std::memory_order_release);
}

std::shared_ptr<const Environment> OpenedRegistry::environment() const {
  const std::lock_guard lock(environment_mutex_);
  return environment_;
}

void OpenedRegistry::set_threads(uint32_t count) {
  host_->threads.set_worker_count(count > 0 ? count : thread_count(*environment()));
}

InspectRules OpenedRegistry::rules() const noexcept {
  return {(settings_.flags & BKR_CONFIG_STRICT) != 0, environment()->elevated()};
}

namespace {

// What a scan has to say: faults of places and files, and of records beside each other.
std::vector<std::string> warnings_of(const IndexedCatalog &catalog) {
  std::vector<std::string> warnings;
  for (const SearchedDirectory &directory : catalog.catalog().directories) {
    warnings.insert(warnings.end(), directory.warnings.begin(), directory.warnings.end());
  }
  for (const CatalogFile &file : catalog.catalog().files) {
    warnings.insert(warnings.end(), file.file.warnings.begin(), file.file.warnings.end());
  }
  for (std::string &line : ambiguous_providers(catalog)) warnings.push_back(std::move(line));
  return warnings;
}

// What lies among plugins is not ours to write, nor are directories there that are not made yet.
Result<void> write_beside(const ScanCache &cache, const Catalog &catalog) {
  if (!cache.has_news()) return {};
  std::error_code error;
  std::string target = std::filesystem::weakly_canonical(cache.directory(), error).string();
  if (error) target = cache.directory();
  for (const SearchedDirectory &searched : catalog.directories) {
    if (searched.state == "file" || !cat(target, "/").starts_with(cat(searched.path, "/"))) continue;
    return fail(BKR_DENIED, cat(target, " lies in the search directory ", searched.path, "."),
                "Set XDG_CACHE_HOME to a directory that holds no plugins.");
  }
  return cache.write();
}

}  // namespace

void OpenedRegistry::rescan() {
  std::vector<std::string> warnings;
  std::vector<std::string> warnings_of_names;
  std::optional<ScanCache> cache;
  std::shared_ptr<const IndexedCatalog> catalog;
  {
    const std::lock_guard lock(rescan_mutex_);
    auto environment =
        std::make_shared<const Environment>(Environment::capture(!(settings_.flags & BKR_CONFIG_NO_ENVIRONMENT)));
    if (std::string directory = cache_dir(settings_, *environment); !directory.empty()) {
      cache.emplace(std::move(directory));
    }
    catalog = std::make_shared<const IndexedCatalog>(scan(search_places(search_settings(settings_, *environment)),
                                                          rules(), filters(*environment), cache ? &*cache : nullptr));
    warnings = warnings_of(*catalog);
    std::shared_ptr<Provisions> provisions = ProvisionTable::prepare(catalog);
    warnings_of_names = families_.update(overrides(*environment), record_members(*catalog));

    // From here on nothing can fail: a rescan is done, or it has changed nothing.
    {
      const std::lock_guard environment_lock(environment_mutex_);
      environment_.swap(environment);
    }
    provisions_.put(std::move(provisions));
    families_.advance_epoch();
  }
  // The host's log function is foreign code: no lock is held around it.
  warn(warnings);
  warn(warnings_of_names);
  warn_of_environment();
  if (cache) keep(*cache, catalog->catalog());
}

void OpenedRegistry::keep(const ScanCache &cache, const Catalog &catalog) const noexcept {
  try {
    const Result<void> written = write_beside(cache, catalog);
    if (!written) log_->tell(BKR_LOG_INFO, [&] { return cat("The scan is not kept: ", written.error().text()); });
  } catch (...) {
    // No memory: the next process reads the files again.
  }
}

void OpenedRegistry::warn(const std::vector<std::string> &warnings) const noexcept {
  for (const std::string &warning : warnings) log_->write_once(BKR_LOG_WARN, warning);
}

void OpenedRegistry::warn_of_environment() const noexcept {
  try {
    warn(environment_warnings(*environment(), families_));
  } catch (...) {
    // No memory for the texts: no reason to fail what they speak of.
  }
}

Result<Member *> OpenedRegistry::find(std::string_view family_name, const char *name) {
  const Family *family = families_.find(family_name);
  if (!family) return fail(unknown_family(families_, family_name));
  Member *member = family->find(name);
  if (!member) return fail(unknown_name(*family, name));
  return member;
}

Failure OpenedRegistry::unknown_name(const Family &family, std::string_view name) const {
  Failure failure = unknown_member(family, name);
  const std::shared_ptr<const IndexedCatalog> catalog = provisions()->catalog;
  for (const PluginFile *file : barred_with(*catalog, family.texts().name, name)) {
    failure.next += cat("\n", file->path, " has that name, but", said_of(file->path, file->failure->reason), " ",
                        file->failure->next);
  }
  return failure;
}

Result<Family *> OpenedRegistry::add_family(std::string_view name, std::string_view title) {
  std::vector<std::string> warnings;
  Result<Family *> family =
      families_.add_family(name, title, record_members(*provisions_.current()->catalog), warnings);
  warn(warnings);
  return family;
}

Result<Member *> OpenedRegistry::register_member(Family &family, std::string_view name, std::string_view path,
                                                 bool also_override) {
  Result<Member *> member = families_.register_member(family, name, path, also_override);
  if (!member) return member;
  log_->tell(BKR_LOG_INFO, [&] {
    return cat("Registered new ", family.texts().title, ": ", name,
               path.empty() ? std::string_view(", without a path") : " -> ", path);
  });
  // The environment may have been waiting for this name, and another member may have it too.
  if ((*member)->effective().tag() == PathSource::environment) warn_of_environment();
  return member;
}

Result<void> OpenedRegistry::provide(Family &family, std::string_view path, InProcessProvider provider) {
  if (path.size() > kMaxPathSize || parse_path(path).kind != PathKind::dotted) {
    return fail(
        BKR_BAD_PATH,
        cat("No function can provide '", path.substr(0, utf8_prefix(path, 256)), "' of family ", family.texts().name,
            ": it is not a dotted path."),
        cat("A function inside the host provides a path like `my.module.Class`, of at most ", kMaxPathSize, " bytes."));
  }
  provisions_.set_in_process({family.texts().name, std::string(path)}, provider);
  families_.advance_epoch();
  return {};
}

Result<Question> OpenedRegistry::question(const Member &member) const {
  const TaggedPath<PathSource> effective = member.effective();
  if (!effective.path()) return fail(not_registered(member));
  const std::string &family = member.family().texts().name;
  Question asked{family, member.name(), {}, effective.path()};
  if (effective.tag() == PathSource::environment) asked.variable = override_variable(family, member.name());
  return asked;
}

Result<const QualifiedPath *> OpenedRegistry::make_path(std::string_view path) { return families_.intern(path); }

Question OpenedRegistry::question(const Family &family, const QualifiedPath &path) {
  return Question{family.texts().name, "", "", &path};
}

Result<const Factory *> OpenedRegistry::load(const Question &question) {
  Result<const Factory *> factory = core::load(question, provisions_, factories_, rules());
  if (!factory) tell_once(*host_, factory.error());
  return factory;
}

Result<const Factory *> OpenedRegistry::load(const Member &member) {
  Result<const Factory *> factory = try_load(member);
  if (!factory && factory.error().status != BKR_NOT_REGISTERED) tell_once(*host_, factory.error());
  return factory;
}

Result<const Factory *> OpenedRegistry::try_load(const Member &member) {
  const uint64_t epoch = families_.epoch();
  if (const Factory *known = FactoryTable::remembered(member, epoch)) return known;
  const Result<Question> asked = question(member);
  if (!asked) return fail(asked.error());
  Result<const Factory *> factory = core::load(*asked, provisions_, factories_, rules());
  if (factory) factories_.remember(member, **factory, epoch);
  return factory;
}

Result<void> OpenedRegistry::unload(const std::string &file) {
  if (!(settings_.flags & BKR_CONFIG_ALLOW_UNLOAD)) {
    return fail(BKR_DENIED, cat(file, " is not unloaded: this registry was opened without BKR_CONFIG_ALLOW_UNLOAD."),
                "Set that flag in bkr_config; engines that serve need not unload anything.");
  }
  std::string path = absolute_path(file);
  const std::shared_ptr<const IndexedCatalog> catalog = provisions()->catalog;  // a rescan may put another in its place
  const CatalogFile *listed = catalog->catalog().find(path);
  std::optional<Failure> not_there;
  // A file's own path needs no look at its directories; where another name of it leads, only the system knows.
  if (!listed || listed->file.path != path) {
    if (const Result<std::string> canonical = canonical_path(path)) {
      path = *canonical;
      listed = catalog->catalog().find(path);
    } else {
      not_there = canonical.error();
    }
  }
  if (listed) path = listed->file.path;

  Result<void> closed = LibraryTable::of_process().close(path);
  if (closed || closed.error().status == BKR_STAYS_RESIDENT) families_.advance_epoch();
  // What is open is found without the file, which may be gone by now.
  if (not_there && !closed && closed.error().status == BKR_WRONG_STATE) return fail(std::move(*not_there));
  return closed;
}

}  // namespace bkr::core
