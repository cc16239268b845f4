// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_SELECT_PROBE_H
#define BKR_SELECT_PROBE_H

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "load/factory.h"
#include "select/selection.h"

namespace bkr::core {

// How a member is loaded, without telling the log.
using LoadMember = std::function<Result<const Factory *>(const Member &)>;

// What a backend says of itself.
struct Probed {
  std::vector<std::string> objections;
  std::string own_name;  // only if it has no objections
};

// Loads a member, makes a backend of it without options, asks it whether it can serve the facts, and destroys it.
// Foreign code: no lock may be held. BKR_REENTRANT if this thread is asking that factory already.
Result<Probed> probe(const Member &member, std::span<const bkr_option> facts, const LoadMember &load);

// Whether a failure of probe() is a mismatch, so that another candidate may do: something is missing, or does not fit
// this machine or what the operator allows, or the plugin itself said no. All else is a defect, or none of the
// candidate's business.
bool is_mismatch(const Failure &failure) noexcept;

}  // namespace bkr::core

#endif  // BKR_SELECT_PROBE_H
