// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_OPENED_OPENED_REGISTRY_H
#define BKR_OPENED_OPENED_REGISTRY_H

#include <backend_registry/registry.h>

#include <initializer_list>
#include <memory>
#include <mutex>

#include "base/environment.h"
#include "base/fork_safe_mutex.h"
#include "base/log.h"
#include "discover/scan_cache.h"
#include "load/factory_table.h"
#include "opened/settings.h"
#include "registry/family_set.h"
#include "resolve/provisions.h"
#include "resolve/resolve.h"
#include "select/select.h"
#include "select/selection_memory.h"

namespace bkr::core {

// One opened registry: puts the folders below together, and is the only place that knows them all.
class OpenedRegistry {
 public:
  // `core_services` are offered to plugins before the configuration's own.
  static Result<std::unique_ptr<OpenedRegistry>> open(const bkr_config *config,
                                                      std::initializer_list<bkr_service> core_services);
  ~OpenedRegistry() { host_->registry.store(nullptr, std::memory_order_release); }

  static OpenedRegistry &of(const Family &family) { return *static_cast<OpenedRegistry *>(family.set().owner()); }
  static OpenedRegistry &of(const Member &member) { return of(member.family()); }

  FamilySet &families() noexcept { return families_; }
  const FamilySet &families() const noexcept { return families_; }
  const FactoryTable &factories() const noexcept { return factories_; }
  Log &log() const noexcept { return *log_; }

  // Reads the environment and the search directories, and puts what was found into force.
  void rescan();

  // How many threads its backends' kernels may use, at most kMostThreads; 0: as the environment says.
  void set_threads(uint32_t count);

  // BKR_UNKNOWN_FAMILY, BKR_UNKNOWN_NAME.
  Result<Member *> find(std::string_view family, const char *name);

  // Why a family has no such member. Names the files that would bring it, were they not turned off or refused.
  Failure unknown_name(const Family &family, std::string_view name) const;

  Result<Family *> add_family(std::string_view name, std::string_view title);
  Result<Member *> register_member(Family &family, std::string_view name, std::string_view path, bool also_override);
  Result<void> provide(Family &family, std::string_view path, InProcessProvider provider);

  // What a question about a member's path of now, or about a path without a member, is.
  Result<Question> question(const Member &member) const;
  Result<const QualifiedPath *> make_path(std::string_view path);
  static Question question(const Family &family, const QualifiedPath &path);

  Resolution resolve(const Question &question) const { return core::resolve(question, provisions_.current()); }
  Result<const Factory *> load(const Member &member);
  // The same, but a failure is not logged: for whoever expects that some cannot be loaded.
  Result<const Factory *> try_load(const Member &member);
  Result<const Factory *> load(const Question &question);

  // Chooses a member by what is asked; in it, which candidates were turned down and why, also if all of them were.
  // BKR_UNKNOWN_NAME and BKR_NOT_REGISTERED of who was named, and the failure of a plugin that is broken.
  Result<std::shared_ptr<const Selection>> select(const Family &family, SelectionRequest request);

  // Closes a library, if the configuration allows it. `file`: a path of it. BKR_DENIED, BKR_NOT_FOUND, and the errors
  // of LibraryTable::close().
  Result<void> unload(const std::string &file);

  // What was read last, for the documents.
  std::shared_ptr<const Provisions> provisions() const { return provisions_.current(); }
  std::shared_ptr<const Environment> environment() const;

 private:
  OpenedRegistry(Settings settings, std::shared_ptr<const Environment> environment);
  InspectRules rules() const noexcept;
  void keep(const ScanCache &cache, const Catalog &catalog) const noexcept;
  void warn(const std::vector<std::string> &warnings) const noexcept;
  void warn_of_environment() const noexcept;
  Result<std::vector<Member *>> named_candidates(const Family &family, const SelectionRequest &request) const;
  std::vector<Member *> provided_members(const Family &family);

  const Settings settings_;
  const std::shared_ptr<Log> log_;
  const std::shared_ptr<HostContext> host_;
  FamilySet families_{this};
  ProvisionTable provisions_;
  FactoryTable factories_{host_};
  SelectionMemory selections_;

  ForkSafeMutex rescan_mutex_{ForkSafeMutex::Order::outer};  // one rescan at a time
  mutable ForkSafeMutex environment_mutex_;
  std::shared_ptr<const Environment> environment_;
};

}  // namespace bkr::core

#endif  // BKR_OPENED_OPENED_REGISTRY_H
