// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_LOAD_LOAD_H
#define BKR_LOAD_LOAD_H

#include "discover/plugin_file.h"
#include "load/factory_table.h"
#include "resolve/provisions.h"
#include "resolve/resolve.h"

namespace bkr::core {

// As resolve(), but a named file that nobody looked at yet is read, and noted if it can be used. Runs none of its code.
Resolution look(const Question &question, ProvisionTable &provisions, const InspectRules &rules);

// From a question to a factory: looks, and loads the target of the first provider. The failure of that one is the
// answer, and names the provider that would have been next.
Result<const Factory *> load(const Question &question, ProvisionTable &provisions, FactoryTable &factories,
                             const InspectRules &rules);

}  // namespace bkr::core

#endif  // BKR_LOAD_LOAD_H
