// SPDX-License-Identifier: Apache-2.0
#include "load/backend_core.h"

#include "load/plugin_call.h"

namespace bkr::core {

namespace {

BackendCore &core_of(const bkr_backend &backend) { return *static_cast<BackendCore *>(backend.core); }

void BKR_CALL ignore_reason(void *, const char *) {}

// What a number that is no status of this library's becomes where no status says just that this call failed, as
// BKR_INIT_FAILED does: the plugin speaks of something newer, and what was asked is not to be had.
constexpr bkr_status kUnknownStatus = BKR_UNSUPPORTED;

// Told of an id that the backend does not have.
void tell_interface(Failure &failure, const BackendCore &core, std::string_view id, bool with_a_text) {
  const std::string &named = core.texts->interface_id;
  if (!with_a_text) failure.reason = cat(core.words(), " has no interface '", id, "'.");
  if (!named.empty() && named != id) {
    failure.next = cat("Its record names '", named, "'; ask for that.");
  } else if (!with_a_text) {
    failure.next = named.empty() ? "Ask its author which interfaces it has."
                                 : "Its record names that very one: this is a defect of the plugin.";
  }
}

}  // namespace

const char *backend_name(const bkr_backend &backend) noexcept {
  const BackendCore &core = core_of(backend);
  const char *name = nullptr;
  try {
    const Result<void> result = call_plugin([&] { return cat("name of ", core.words()); }, BKR_INTERNAL,
                                            [&](bkr_error *) {
                                              name = backend.api->name(&backend);
                                              return BKR_OK;
                                            });
    if (!result) tell_once(*core.host, result.error());
  } catch (...) {
    // No memory for the line.
  }
  return name;
}

Result<void> validate_backend(bkr_backend &backend, std::span<const bkr_option> facts, bkr_reason_fn emit, void *user) {
  if (!backend.api->validate) return {};
  return call_plugin([&] { return cat("validate of ", core_of(backend).words()); }, kUnknownStatus,
                     [&](bkr_error *error) {
                       return backend.api->validate(&backend, facts.data(), static_cast<uint32_t>(facts.size()),
                                                    emit ? emit : ignore_reason, user, error);
                     });
}

namespace {

// The plugin's init, in a backend whose state is `running`.
Result<void> run_init(bkr_backend &backend, BackendCore &core, const bkr_device &device) {
  // Also when there is no memory for the text of a failure.
  struct Outcome {
    std::atomic<BackendCore::Init> &state;
    BackendCore::Init value = BackendCore::Init::none;
    ~Outcome() { state.store(value); }
  } outcome{core.init};
  Result<void> result;
  if (backend.api->init) {
    result = call_plugin([&] { return cat("init of ", core.words()); }, BKR_INIT_FAILED,
                         [&](bkr_error *error) { return backend.api->init(&backend, &device, error); });
  }
  if (result) outcome.value = BackendCore::Init::done;
  return result;
}

}  // namespace

Result<void> init_backend(bkr_backend &backend, const bkr_device &device) {
  BackendCore &core = core_of(backend);
  auto state = BackendCore::Init::none;
  if (!core.init.compare_exchange_strong(state, BackendCore::Init::running)) {
    return fail(
        BKR_WRONG_STATE,
        cat(core.words(), state == BackendCore::Init::done ? " is initialised already." : " is being initialised."),
        "Initialise a backend once, before its first kernel.");
  }
  Result<void> result = run_init(backend, core, device);
  if (!result) tell_once(*core.host, result.error());  // the log is foreign code, which may try again
  return result;
}

Result<const void *> get_interface(bkr_backend &backend, const char *id) {
  const BackendCore &core = core_of(backend);
  const auto what = [&] { return cat("get_interface('", id, "') of ", core.words()); };
  const void *table = nullptr;
  bkr_status status = BKR_OK;
  bool with_a_text = false;
  Result<void> result = call_plugin(what, kUnknownStatus, [&](bkr_error *error) {
    status = backend.api->get_interface(&backend, id, &table, error);
    with_a_text = error->msg && *error->msg;
    return status;
  });
  if (!result) {
    if (status == BKR_UNSUPPORTED) tell_interface(result.error(), core, id, with_a_text);
    return fail(std::move(result.error()));
  }
  if (!table) {
    return fail(BKR_UNSUPPORTED, cat(what(), " gave BKR_OK, but no table."),
                "This is a defect of the plugin; plugin.h says what get_interface gives.");
  }
  return table;
}

void destroy_backend(bkr_backend *backend) noexcept {
  // The backend's memory goes with destroy; what keeps its library goes after it.
  const std::unique_ptr<BackendCore> core(static_cast<BackendCore *>(backend->core));
  try {
    const Result<void> result = call_plugin([&] { return cat("destroy of ", core->words()); }, BKR_INTERNAL,
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
