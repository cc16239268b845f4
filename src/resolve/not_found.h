// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_RESOLVE_NOT_FOUND_H
#define BKR_RESOLVE_NOT_FOUND_H

#include "base/failure.h"
#include "discover/catalog.h"
#include "resolve/resolve.h"

namespace bkr::core {

// Each place that was looked in and its state, a line each.
std::string places_looked_in(const Catalog &catalog);

// Nobody declares the dotted path.
Failure not_found(const Question &question, const Catalog &catalog);

// Discovery saw no file of that name.
Failure file_name_not_found(const Question &question, const Catalog &catalog);

// A named file does not exist, as `failure` says.
Failure file_not_found(const Question &question, Failure failure);

// The path is of no form that leads anywhere.
Failure bad_path(const Question &question);

}  // namespace bkr::core

#endif  // BKR_RESOLVE_NOT_FOUND_H
