// SPDX-License-Identifier: Apache-2.0
// Which failures turn a candidate down, and which end the selection: each status there is.
#include "select/probe.h"

#include <gtest/gtest.h>

#include <set>

namespace bkr::core {
namespace {

TEST(Mismatch, IsWhatIsMissingOrDoesNotFit) {
  const std::set<bkr_status> mismatches = {
      BKR_NOT_REGISTERED,     BKR_BAD_PATH, BKR_NOT_FOUND,   BKR_IO_ERROR,       BKR_BAD_FILE,
      BKR_WRONG_PLATFORM,     BKR_STALE,    BKR_DENIED,      BKR_BAD_DESCRIPTOR, BKR_ABI_MISMATCH,
      BKR_DEPENDENCY_MISSING, BKR_BUSY,     BKR_LOAD_FAILED, BKR_CREATE_FAILED};
  for (bkr_status status = BKR_OK; status <= BKR_INTERNAL + 1; ++status) {
    EXPECT_EQ(is_mismatch(Failure{status, BKR_STAGE_NONE, {}, {}}), mismatches.count(status) == 1)
        << status_name(status);
  }
}

TEST(Mismatch, IsNotAnIncompleteTable) {
  Failure failure{BKR_CREATE_FAILED, BKR_STAGE_CREATE, {}, {}};
  failure.defect = true;
  EXPECT_FALSE(is_mismatch(failure));
}

}  // namespace
}  // namespace bkr::core
