// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_LOAD_LOAD_FAILURE_H
#define BKR_LOAD_LOAD_FAILURE_H

#include <string>

#include "base/failure.h"
#include "discover/plugin_file.h"

namespace bkr::core {

// What the refusal of the system's loader means: BKR_DEPENDENCY_MISSING if its text begins with the name of a
// library that the file (or one that it needs, lying beside it) names as needed and that is not in memory, else
// BKR_LOAD_FAILED. The system's text is kept either way.
Failure explain_load_failure(const PluginFile &facts, const std::string &system_text);

}  // namespace bkr::core

#endif  // BKR_LOAD_LOAD_FAILURE_H
