// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_LOAD_PLUGIN_CALL_H
#define BKR_LOAD_PLUGIN_CALL_H

#include <backend_registry/types.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <string>

#include "base/failure.h"
#include "base/text.h"

namespace bkr::core {

// A bkr_error for a plugin to write into, so that its text can be put behind ours.
class PluginError {
 public:
  bkr_error *get() noexcept { return &error_; }
  int32_t native_code() const noexcept { return error_.native_code; }
  // What the plugin said, or nothing.
  // (Its own end if it gave one: what a plugin writes may lack the NUL.)
  std::string text() const { return {buffer_, std::find(std::begin(buffer_), std::end(buffer_), '\0')}; }

 private:
  char buffer_[2048] = "";
  bkr_error error_ = BKR_ERROR_INIT(buffer_);
};

// What a plugin's status other than BKR_OK is to whoever called `what`.
Failure refusal(const std::string &what, bkr_status status, bkr_status otherwise, const PluginError &error);

// Calls into a plugin: `call(bkr_error *)` returns the plugin's status. `what()` names the call and the backend for
// the text of a failure; without one no memory is needed. Exceptions end here (BKR_PLUGIN_EXCEPTION). A number that is
// no status of this library's becomes `otherwise`.
template <class What, class Call>
Result<void> call_plugin(const What &what, bkr_status otherwise, const Call &call) {
  PluginError error;
  bkr_status status = BKR_OK;
  std::string thrown;
  try {
    status = call(error.get());
  } catch (const std::exception &exception) {
    thrown = cat("let an exception out: ", sentence(exception.what()));
  } catch (...) {
    thrown = "let an exception of an unknown type out.";
  }
  if (!thrown.empty()) {
    return fail(BKR_PLUGIN_EXCEPTION, cat(what(), " ", thrown),
                "This is a defect of the plugin: exceptions must not cross its boundary (plugin.hpp stops them).");
  }
  if (status == BKR_OK) return {};
  return fail(refusal(what(), status, otherwise, error));
}

}  // namespace bkr::core

#endif  // BKR_LOAD_PLUGIN_CALL_H
