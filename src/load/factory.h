// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_LOAD_FACTORY_H
#define BKR_LOAD_FACTORY_H

#include <backend_registry/plugin.h>

#include <memory>
#include <span>
#include <string>

#include "base/failure.h"
#include "base/fork_safe_mutex.h"
#include "load/factory_texts.h"
#include "load/host_context.h"
#include "load/library_table.h"
#include "registry/member.h"
#include "resolve/resolve.h"

namespace bkr::core {

// A loaded target: a create function with its library in memory. Lives as long as its registry; if the library is
// unloaded meanwhile, the next use opens it again.
class Factory {
 public:
  // Opens the target's file, if it has one that is not open yet, and looks its create function up.
  static Result<std::unique_ptr<Factory>> load(const Target &target, std::shared_ptr<HostContext> host);

  const FactoryTexts &texts() const noexcept { return *texts_; }

  // Whether this is the factory of a target: the same function of the same file, under the same name.
  bool is_of(const Target &target) const noexcept;

  // Whether the library is in memory now.
  bool is_loaded() const;

  // Puts the library into memory if it was unloaded.
  Result<void> ensure_loaded() const;

  // Runs the create function and checks what it returned. BKR_REENTRANT if this thread is inside this factory's
  // create already, BKR_PLUGIN_EXCEPTION, BKR_CREATE_FAILED; if the library was unloaded, the errors of load(). What is
  // not the caller's own fault is logged. `asked`: the member that led here, for the text; may be null.
  Result<bkr_backend *> create(std::span<const bkr_option> options, const Member *asked = nullptr) const;

  // The same, but nothing is logged: for whoever expects that some refuse.
  Result<bkr_backend *> try_create(std::span<const bkr_option> options, const Member *asked = nullptr) const;

 private:
  // A create function, and what keeps its code in memory (null for a function inside the host).
  struct Loaded {
    std::shared_ptr<const Library> library;
    bkr_create_backend_fn create = nullptr;
  };
  Factory(const Target &target, std::shared_ptr<HostContext> host);
  Loaded known() const;
  Result<Loaded> loaded() const;
  Result<void> run(bkr_create_backend_fn function, std::span<const bkr_option> options, bkr_backend *&made) const;
  Result<void> check(const bkr_backend *made) const;
  Result<bkr_backend *> create_now(std::span<const bkr_option> options) const;
  std::string words() const { return texts_->words(); }

  const std::shared_ptr<const FactoryTexts> texts_;
  const std::string symbol_;
  const InProcessProvider in_process_;
  const std::shared_ptr<const PluginFile> facts_;  // null for a function inside the host
  const std::shared_ptr<HostContext> host_;
  mutable ForkSafeMutex mutex_;  // the two below
  mutable std::weak_ptr<const Library> library_;
  mutable bkr_create_backend_fn create_ = nullptr;
};

}  // namespace bkr::core

#endif  // BKR_LOAD_FACTORY_H
