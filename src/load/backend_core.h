// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_LOAD_BACKEND_CORE_H
#define BKR_LOAD_BACKEND_CORE_H

#include <backend_registry/plugin.h>
#include <backend_registry/registry.h>

#include <atomic>
#include <memory>
#include <span>
#include <string>

#include "base/failure.h"
#include "load/factory_texts.h"
#include "load/host_context.h"
#include "load/library_table.h"

namespace bkr::core {

// What the registry hangs onto a live backend (bkr_backend::core): all that must outlive the registry.
struct BackendCore {
  std::shared_ptr<const FactoryTexts> texts;
  std::string words() const { return texts->words(); }
  std::shared_ptr<const Library> library;
  std::shared_ptr<HostContext> host;
  enum class Init : int { none, running, done };
  std::atomic<Init> init{Init::none};
};

// The functions of a live backend, each with exceptions stopped and failures named. `backend` was made by a
// factory. A plugin's init that fails is logged, as is what cannot be returned.
const char *backend_name(const bkr_backend &backend) noexcept;  // null if it fails
Result<void> validate_backend(bkr_backend &backend, std::span<const bkr_option> facts, bkr_reason_fn emit, void *user);
Result<void> init_backend(bkr_backend &backend, const bkr_device &device);
Result<const void *> get_interface(bkr_backend &backend, const char *id);
void destroy_backend(bkr_backend *backend) noexcept;

}  // namespace bkr::core

#endif  // BKR_LOAD_BACKEND_CORE_H
