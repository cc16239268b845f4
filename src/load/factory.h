// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_LOAD_FACTORY_H
#define BKR_LOAD_FACTORY_H

#include <backend_registry/plugin.h>

#include <memory>
#include <span>
#include <string>

#include "base/failure.h"
#include "load/host_context.h"
#include "load/library_table.h"
#include "resolve/resolve.h"

namespace bkr::core {

// A loaded target: a create function with its library in memory. Immutable, lives as long as its registry.
class Factory {
 public:
  Factory(Target target, bkr_create_backend_fn function, void *user, std::shared_ptr<const Library> library,
          std::shared_ptr<HostContext> host)
      : target_(std::move(target)),
        create_(function),
        user_(user),
        library_(std::move(library)),
        host_(std::move(host)) {}

  const Target &target() const noexcept { return target_; }

  // Runs the create function and checks what it returned. BKR_REENTRANT if this thread is inside this factory's
  // create already, BKR_PLUGIN_EXCEPTION, BKR_CREATE_FAILED.
  Result<bkr_backend *> create(std::span<const bkr_option> options) const;

 private:
  Result<void> run(std::span<const bkr_option> options, bkr_backend *&made) const;
  Result<void> check(const bkr_backend *made) const;
  std::string words() const;  // "CPU_ATTN in /x/cpu_attn.so"

  const Target target_;
  const bkr_create_backend_fn create_;
  void *const user_;
  const std::shared_ptr<const Library> library_;  // null for a function inside the host
  const std::shared_ptr<HostContext> host_;
};

}  // namespace bkr::core

#endif  // BKR_LOAD_FACTORY_H
