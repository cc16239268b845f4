// SPDX-License-Identifier: Apache-2.0
#include "base/failure.h"

namespace bkr::core {

const char *status_name(bkr_status status) noexcept {
  switch (status) {
#define BKR_CASE(name) \
  case name:           \
    return #name;
    BKR_CASE(BKR_OK)
    BKR_CASE(BKR_INVALID_ARGUMENT)
    BKR_CASE(BKR_UNKNOWN_FAMILY)
    BKR_CASE(BKR_UNKNOWN_NAME)
    BKR_CASE(BKR_NOT_REGISTERED)
    BKR_CASE(BKR_ALREADY_EXISTS)
    BKR_CASE(BKR_INVALID_NAME)
    BKR_CASE(BKR_BAD_PATH)
    BKR_CASE(BKR_NOT_FOUND)
    BKR_CASE(BKR_IO_ERROR)
    BKR_CASE(BKR_BAD_FILE)
    BKR_CASE(BKR_WRONG_PLATFORM)
    BKR_CASE(BKR_BAD_DESCRIPTOR)
    BKR_CASE(BKR_ABI_MISMATCH)
    BKR_CASE(BKR_LOAD_FAILED)
    BKR_CASE(BKR_DEPENDENCY_MISSING)
    BKR_CASE(BKR_SYMBOL_MISSING)
    BKR_CASE(BKR_CREATE_FAILED)
    BKR_CASE(BKR_INIT_FAILED)
    BKR_CASE(BKR_PLUGIN_EXCEPTION)
    BKR_CASE(BKR_UNSUPPORTED)
    BKR_CASE(BKR_NO_VALID_BACKEND)
    BKR_CASE(BKR_CHOICE_REFUSED)
    BKR_CASE(BKR_WRONG_STATE)
    BKR_CASE(BKR_BUSY)
    BKR_CASE(BKR_REENTRANT)
    BKR_CASE(BKR_STALE)
    BKR_CASE(BKR_STAYS_RESIDENT)
    BKR_CASE(BKR_DENIED)
    BKR_CASE(BKR_BUFFER_TOO_SMALL)
    BKR_CASE(BKR_OUT_OF_MEMORY)
    BKR_CASE(BKR_INTERNAL)
#undef BKR_CASE
    default:
      return "BKR_UNKNOWN_STATUS";
  }
}

std::string_view stage_word(int32_t stage) noexcept {
  constexpr std::string_view words[] = {"ok",  "open", "format", "machine",   "kind", "segments", "descriptor",
                                        "abi", "cpu",  "policy", "duplicate", "load", "symbol",   "create"};
  return stage >= 0 && stage <= BKR_STAGE_CREATE ? words[stage] : "unknown";
}

}  // namespace bkr::core
