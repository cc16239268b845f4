// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_SELECT_SELECT_H
#define BKR_SELECT_SELECT_H

#include <vector>

#include "base/log.h"
#include "select/probe.h"
#include "select/selection.h"

namespace bkr::core {

// Asks the candidates in their order until one has no objections. With an explicit choice they are that one alone, and
// no other is used instead. A selection in which all were turned down is an answer, too; a candidate that is broken
// ends it with its failure, since that is a defect which nobody should pass over.
Result<Selection> select(const Family &family, SelectionRequest request, const std::vector<Member *> &candidates,
                         const LoadMember &load, Log &log);

}  // namespace bkr::core

#endif  // BKR_SELECT_SELECT_H
