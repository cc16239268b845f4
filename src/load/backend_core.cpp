// SPDX-License-Identifier: Apache-2.0
#include "load/backend_core.h"

#include "load/plugin_call.h"

namespace bkr::core {

namespace {

BackendCore &core_of(const bkr_backend &backend) { return *static_cast<BackendCore *>(backend.core); }

void BKR_CALL ignore_reason(void *, const char *) {}

}  // namespace

Result<void> validate_backend(bkr_backend &backend, std::span<const bkr_option> facts, bkr_reason_fn emit, void *user) {
  if (!backend.api->validate) return {};
  return call_plugin([&] { return cat("validate of ", core_of(backend).words); }, BKR_INTERNAL,
                     [&](bkr_error *error) {
                       return backend.api->validate(&backend, facts.data(), static_cast<uint32_t>(facts.size()),
                                                    emit ? emit : ignore_reason, user, error);
                     });
}

Result<void> init_backend(bkr_backend &backend, const bkr_device &device) {
  BackendCore &core = core_of(backend);
  auto state = BackendCore::Init::none;
  if (!core.init.compare_exchange_strong(state, BackendCore::Init::running)) {
    return fail(
        BKR_WRONG_STATE,
        cat(core.words, state == BackendCore::Init::done ? " is initialised already." : " is being initialised."),
        "Initialise a backend once, before its first kernel.");
  }
  // Also when there is no memory for the text of a failure.
  struct Outcome {
    std::atomic<BackendCore::Init> &state;
    BackendCore::Init value = BackendCore::Init::none;
    ~Outcome() { state.store(value); }
  } outcome{core.init};
  Result<void> result;
  if (backend.api->init) {
    result = call_plugin([&] { return cat("init of ", core.words); }, BKR_INIT_FAILED,
                         [&](bkr_error *error) { return backend.api->init(&backend, &device, error); });
  }
  if (result) outcome.value = BackendCore::Init::done;
  return result;
}

Result<const void *> get_interface(bkr_backend &backend, const char *id) {
  const auto what = [&] { return cat("get_interface('", id, "') of ", core_of(backend).words); };
  const void *table = nullptr;
  Result<void> result = call_plugin(
      what, BKR_INTERNAL, [&](bkr_error *error) { return backend.api->get_interface(&backend, id, &table, error); });
  if (!result) return fail(std::move(result.error()));
  if (!table) return fail(BKR_UNSUPPORTED, cat(what(), " gave no table."), "This is a defect of the plugin.");
  return table;
}

void destroy_backend(bkr_backend *backend) noexcept {
  // The backend's memory goes with destroy; what keeps its library goes after it.
  const std::unique_ptr<BackendCore> core(static_cast<BackendCore *>(backend->core));
  try {
    const Result<void> result = call_plugin([&] { return cat("destroy of ", core->words); }, BKR_INTERNAL,
                                            [&](bkr_error *) {
                                              backend->api->destroy(backend);
                                              return BKR_OK;
                                            });
    if (!result) core->host->log->tell(BKR_LOG_ERR, [&] { return result.error().text(); });
  } catch (...) {
    // No memory for the line: the backend is gone all the same.
  }
}

}  // namespace bkr::core
