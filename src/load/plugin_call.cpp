// SPDX-License-Identifier: Apache-2.0
#include "load/plugin_call.h"

namespace bkr::core {

Failure refusal(const std::string &what, bkr_status status, bkr_status otherwise, const PluginError &error) {
  const bool known = status > BKR_OK && status <= BKR_INTERNAL;
  const std::string failed =
      cat(what, " failed with ", known ? status_name(status) : cat("the unknown status ", status));
  Failure failure{known ? status : otherwise, BKR_STAGE_NONE, {}, {}, error.native_code()};
  const std::string text = error.text();
  if (text.empty()) {
    failure.reason = cat(failed, " and gave no text.");
    failure.next = "The reason is the plugin's; ask its author, or try other options.";
  } else {
    // It may hand on a failure of ours that speaks of this very call.
    const std::string_view said = said_of(what, text);
    failure.reason = cat(failed, ": ", sentence(said.empty() ? text : cat("it", said)));
  }
  return failure;
}

}  // namespace bkr::core
