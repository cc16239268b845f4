// SPDX-License-Identifier: Apache-2.0
#include "base/error_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>

namespace bkr::core {
namespace {

struct Told {
  bkr_status status = BKR_OK;
  bkr_error error = {};
  std::string text;
};

Told tell(const std::function<Result<void>()> &work, uint32_t cap = 256) {
  std::string buffer(cap, '#');
  Told told;
  told.error = {sizeof(bkr_error), 0, 0, cap, buffer.data(), 0, 0};
  told.status = answer(&told.error, work);
  told.error.msg = nullptr;
  told.text = buffer.c_str();
  return told;
}

constexpr char kNoMemory[] = "BKR_OUT_OF_MEMORY: there was no memory for this; nothing was changed.";

TEST(ErrorWriter, WritesReasonAndAdvice) {
  const Told told = tell([] { return fail({BKR_DENIED, BKR_STAGE_POLICY, "It is refused.", "Mend it.", 13}); });
  EXPECT_EQ(told.status, BKR_DENIED);
  EXPECT_EQ(told.text, "It is refused.\nMend it.");
  EXPECT_EQ(told.error.msg_len, told.text.size());
  EXPECT_EQ(told.error.code, BKR_DENIED);
  EXPECT_EQ(told.error.stage, BKR_STAGE_POLICY);
  EXPECT_EQ(told.error.native_code, 13);
  EXPECT_EQ(tell([] { return fail(BKR_DENIED, "It is refused."); }).text, "It is refused.");
  EXPECT_EQ(tell([] { return fail(BKR_DENIED, ""); }).text, "BKR_DENIED");
}

TEST(ErrorWriter, CutsWhereverTheBufferEnds) {
  const std::string whole = "nicht mö\nglich";
  for (uint32_t cap = 1; cap <= whole.size() + 2; ++cap) {
    const Told told = tell([] { return fail(BKR_DENIED, "nicht mö", "glich"); }, cap);
    const std::size_t kept = cap == 9 ? 7 : std::min<std::size_t>(cap - 1, whole.size());
    EXPECT_EQ(told.text, whole.substr(0, kept)) << cap;
    EXPECT_EQ(told.error.msg_len, whole.size()) << cap;
  }
}

TEST(ErrorWriter, OutOfMemorySaysMoreThanItsName) {
  const Told told = tell([]() -> Result<void> { throw std::bad_alloc(); });
  EXPECT_EQ(told.status, BKR_OUT_OF_MEMORY);
  EXPECT_EQ(told.error.code, BKR_OUT_OF_MEMORY);
  EXPECT_EQ(told.text, kNoMemory);
}

TEST(ErrorWriter, DefectOfThisLibraryAsksToBeReported) {
  const Told told = tell([]() -> Result<void> { throw std::out_of_range("far off"); });
  EXPECT_EQ(told.status, BKR_INTERNAL);
  EXPECT_EQ(told.text,
            "An exception ended the call: far off.\nThis is a defect in libbackend_registry; please report it.");
  EXPECT_EQ(tell([]() -> Result<void> { throw 7; }).text,
            "An exception ended the call: one of an unknown type.\nThis is a defect in libbackend_registry; please "
            "report it.");
}

}  // namespace
}  // namespace bkr::core
