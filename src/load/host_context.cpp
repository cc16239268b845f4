// SPDX-License-Identifier: Apache-2.0
#include "load/host_context.h"

#include "base/error_writer.h"
#include "base/text.h"

namespace bkr::core {

namespace {

void BKR_CALL log(const bkr_host *host, int32_t level, const char *text, size_t len) {
  if (host && text && level >= BKR_LOG_TRACE && level < BKR_LOG_OFF) host->log->write(level, {text, len});
}

bkr_status BKR_CALL get_service(const bkr_host *host, const char *id, const void **table, bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    if (!host || !id || !table) {
      return fail(BKR_INVALID_ARGUMENT, "get_service: host, id and table must not be NULL.",
                  "Give the host of bkr_create_args, an id, and where the table is to be put.");
    }
    std::vector<std::string> offered;
    for (const auto &[offered_id, offered_table] : host->services) {
      if (offered_id == id) {
        *table = offered_table;
        return {};
      }
      offered.push_back(offered_id);
    }
    return fail(BKR_UNSUPPORTED, cat("The host offers no service '", id, "'."),
                cat("It offers: ", join(offered), ". Use one of them, or ask the host's author."));
  });
}

}  // namespace

void tell_once(const HostContext &host, const Failure &failure) noexcept {
  host.log->tell_once(BKR_LOG_ERR, [&] { return failure.text(); });
}

const bkr_host_api &host_api() noexcept {
  static constexpr bkr_host_api api = {sizeof(bkr_host_api), BKR_ABI_VERSION, log, get_service};
  return api;
}

}  // namespace bkr::core
