// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace bkr::core {
namespace {

using Words = std::vector<std::string>;
using Views = std::vector<std::string_view>;

TEST(Text, CatTakesTextsAndNumbers) {
  EXPECT_EQ(cat("line ", 3, " of ", std::string("x"), ": ", uint64_t{18446744073709551615u}),
            "line 3 of x: 18446744073709551615");
  EXPECT_EQ(cat(), "");
}

TEST(Text, JoinPutsSeparatorsBetween) {
  EXPECT_EQ(join(Words{}), "");
  EXPECT_EQ(join(Words{"A"}), "A");
  EXPECT_EQ(join(Words{"A", "B", "C"}), "A, B, C");
  EXPECT_EQ(join(Words{"", ""}, "|"), "|");
}

TEST(Text, SentenceEndsInAFullStop) {
  EXPECT_EQ(sentence("no such file"), "no such file.");
  EXPECT_EQ(sentence("no such file \n"), "no such file.");
  EXPECT_EQ(sentence("Told already."), "Told already.");
  EXPECT_EQ(sentence("How?"), "How?");
  EXPECT_EQ(sentence("No!"), "No!");
  EXPECT_EQ(sentence("It holds:\n  a list"), "It holds:\n  a list");
  EXPECT_EQ(sentence(""), "");
}

TEST(Text, SaidOfIsWhatFollowsTheSubject) {
  EXPECT_EQ(said_of("/x", "/x is gone."), " is gone.");
  EXPECT_EQ(said_of("/x", "/xy is gone."), "");
  EXPECT_EQ(said_of("/x", "/y is gone, /x is not."), "");
  EXPECT_EQ(said_of("/x", "/x"), "");
  EXPECT_EQ(said_of("", " is gone."), "");
}

TEST(Text, SplitLeavesOutEmptyItems) {
  EXPECT_EQ(split("", ':'), Views{});
  EXPECT_EQ(split(":::", ':'), Views{});
  EXPECT_EQ(split("a", ':'), Views{"a"});
  EXPECT_EQ(split(":a::b c:", ':'), (Views{"a", "b c"}));
}

TEST(Text, NearestIsWithinTheEditsAllowed) {
  const Words names = {"FLASH_ATTN", "FLASHINFER", "CPU_ATTN"};
  EXPECT_EQ(nearest("FLASH_ATN", names, 2), "FLASH_ATTN");
  EXPECT_EQ(nearest("FLASH_TATN", names, 2), "FLASH_ATTN");
  EXPECT_EQ(nearest("cpu_attn", names, 0), "CPU_ATTN");
  EXPECT_EQ(nearest("TRITON", names, 2), "");
  EXPECT_EQ(nearest("", names, 2), "");
  EXPECT_EQ(nearest("X", Words{}, 9), "");
}

TEST(Text, NearestOfSeveralIsTheFirst) { EXPECT_EQ(nearest("AX", Words{"AB", "AC"}, 1), "AB"); }

TEST(Text, WellFormedUtf8IsAccepted) {
  for (const char *text :
       {"", "plain", "gr\xc3\xbc\xc3\x9f", "\xe3\x83\x97", "\xf0\x9f\x9a\x80", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
  }
}

TEST(Text, IllFormedUtf8IsNot) {
  const char *const texts[] = {
      "\x80",              // begins in the middle
      "\xc3",              // ends in the middle
      "\xe3\x83",          // likewise
      "\xf0\x9f\x9a",      // likewise
      "\xc0\xaf",          // longer than needed
      "\xe0\x80\xaf",      // likewise
      "\xf0\x80\x80\xaf",  // likewise
      "\xed\xa0\x80",      // a surrogate
      "\xf4\x90\x80\x80",  // past the last character
      "\xff",              // never
      "ok \xc3(",          // not continued
  };
  for (const char *text : texts) EXPECT_FALSE(is_utf8(text)) << testing::PrintToString(text);
}

TEST(Text, PrefixNeverCutsACharacter) {
  const std::string text = "a\xc3\xbc\xe3\x83\x97\xf0\x9f\x9a\x80z";
  const std::size_t boundaries[] = {0, 1, 3, 6, 10, 11};
  for (std::size_t max = 0; max <= text.size() + 2; ++max) {
    const std::size_t kept = utf8_prefix(text, max);
    EXPECT_LE(kept, max);
    EXPECT_TRUE(is_utf8(text.substr(0, kept))) << max;
    std::size_t best = 0;
    for (const std::size_t boundary : boundaries) best = boundary <= max ? boundary : best;
    EXPECT_EQ(kept, best) << max;
  }
}

TEST(Text, PrefixOfBytesThatAreNoTextIsCutAtTheLimit) { EXPECT_EQ(utf8_prefix(std::string(20, '\x80'), 10), 10u); }

}  // namespace
}  // namespace bkr::core
