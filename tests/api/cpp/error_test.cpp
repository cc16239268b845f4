// SPDX-License-Identifier: Apache-2.0
#include "backend_registry/error.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

// A bkr_error with so many bytes of room, and a byte behind them that must not change.
struct Caller {
  explicit Caller(uint32_t cap) : text(cap + 1, '\x7f') { error = {sizeof(bkr_error), 0, 0, cap, text.data(), 0, 0}; }
  std::string kept() const { return text.c_str(); }
  bool is_untouched_behind() const { return text.back() == '\x7f'; }

  std::string text;
  bkr_error error;
};

TEST(Error, carries_status_stage_and_native_code) {
  const bkr::error error(BKR_STALE, "it changed", BKR_STAGE_LOAD, 2);
  EXPECT_EQ(error.status(), BKR_STALE);
  EXPECT_EQ(error.stage(), BKR_STAGE_LOAD);
  EXPECT_EQ(error.native_code(), 2);
  EXPECT_STREQ(error.what(), "it changed");
}

TEST(WriteError, fills_every_field_and_joins_the_pieces) {
  Caller caller(64);
  EXPECT_EQ(bkr::write_error(&caller.error, BKR_BAD_FILE, {"one, ", "", "two"}, BKR_STAGE_KIND, 5), BKR_BAD_FILE);
  EXPECT_EQ(caller.error.code, BKR_BAD_FILE);
  EXPECT_EQ(caller.error.stage, BKR_STAGE_KIND);
  EXPECT_EQ(caller.error.native_code, 5);
  EXPECT_EQ(caller.error.msg_len, 8u);
  EXPECT_EQ(caller.kept(), "one, two");
}

TEST(WriteError, cuts_between_characters_at_every_capacity_and_counts_the_whole) {
  const std::string whole = "aé€😀é€😀b";
  for (std::size_t split = 0; split <= whole.size(); ++split) {
    for (uint32_t cap = 1; cap <= whole.size() + 1; ++cap) {
      Caller caller(cap);
      bkr::write_error(&caller.error, BKR_INTERNAL, {whole.substr(0, split), whole.substr(split)});
      const std::string kept = caller.kept();
      ASSERT_EQ(whole.substr(0, kept.size()), kept);
      ASSERT_LT(kept.size(), cap);
      ASSERT_GE(kept.size() + 4, cap);
      ASSERT_TRUE(kept.size() == whole.size() || (static_cast<unsigned char>(whole[kept.size()]) & 0xC0u) != 0x80u);
      ASSERT_EQ(caller.error.msg_len, whole.size());
      ASSERT_TRUE(caller.is_untouched_behind());
    }
  }
}

TEST(WriteError, keeps_what_fits_of_a_text_that_is_not_utf8) {
  Caller caller(8);
  bkr::write_error(&caller.error, BKR_INTERNAL, {std::string(20, '\x80')});
  EXPECT_GE(caller.kept().size(), 3u);
  EXPECT_EQ(caller.error.msg_len, 20u);
}

TEST(WriteError, takes_callers_without_an_error_or_without_room) {
  EXPECT_EQ(bkr::write_error(nullptr, BKR_INTERNAL, {"x"}), BKR_INTERNAL);
  bkr_error no_room = {sizeof(bkr_error), 0, 0, 0, nullptr, 0, 0};
  bkr::write_error(&no_room, BKR_INTERNAL, {"four"});
  EXPECT_EQ(no_room.msg_len, 4u);
  EXPECT_EQ(no_room.code, BKR_INTERNAL);
  bkr_error no_memory = {sizeof(bkr_error), 0, 0, 100, nullptr, 0, 0};
  bkr::write_error(&no_memory, BKR_INTERNAL, {"four"});
  EXPECT_EQ(no_memory.msg_len, 4u);
}

TEST(WriteError, leaves_an_error_alone_that_is_shorter_than_the_first_version) {
  Caller caller(16);
  caller.error.struct_size = sizeof(bkr_error) - 1;
  bkr::write_error(&caller.error, BKR_INTERNAL, {"four"});
  EXPECT_EQ(caller.error.code, 0);
  EXPECT_EQ(caller.error.msg_len, 0u);
}

}  // namespace
