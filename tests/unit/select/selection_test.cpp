// SPDX-License-Identifier: Apache-2.0
#include "select/selection.h"

#include <gtest/gtest.h>

#include <set>

#include "registry/family_set.h"

namespace bkr::core {
namespace {

TEST(SelectionRequest, HasAKeyForEachQuestion) {
  const std::vector<SelectionRequest> questions = {
      {},
      {{{"a", "b"}}, "", "", {}},
      {{{"ab", ""}}, "", "", {}},
      {{{"a", "b"}, {"c", "d"}}, "", "", {}},
      {{{"a", "b"}}, "", "", {"c", "d"}},
      {{{"a", "b"}}, "", "", {"cd"}},
      {{}, "A", "", {}},
      {{}, "", "", {"A"}},
      {{}, "A", "BKR_SELECT_X", {}},
      {{{"a", "1:b"}}, "", "", {}},
      {{{"a", "1:b1:c"}}, "", "", {}},
  };
  std::set<std::string> keys;
  for (const SelectionRequest &question : questions) {
    keys.insert(question.key("attention"));
    keys.insert(question.key("mamba"));
    EXPECT_EQ(question.key("attention"), SelectionRequest(question).key("attention"));
  }
  EXPECT_EQ(keys.size(), 2 * questions.size());
}

TEST(NoChoice, IsNothingOrAutoInAnyCase) {
  for (const char *none : {"", "auto", "AUTO", "Auto", "aUtO"}) EXPECT_TRUE(is_no_choice(none)) << none;
  for (const char *some : {"A", "autos", "aut", " auto", "CPU_ATTN"}) EXPECT_FALSE(is_no_choice(some)) << some;
}

TEST(Selection, HoldsUnlessWhatWasMissingMayComeUnseen) {
  FamilySet set(nullptr);
  Selection selection{set.first(), {}, {{set.first()->at(0)}}};
  Judged &judged = selection.candidates.front();
  judged.objections = {"MLA not supported"};
  EXPECT_TRUE(selection.holds());
  judged.unavailable = Failure{BKR_NOT_FOUND, BKR_STAGE_NONE, {}, {}};
  EXPECT_FALSE(selection.holds());  // nothing was chosen
  selection.choice = set.first()->at(1);
  EXPECT_TRUE(selection.holds());
  for (const bkr_status passing : {BKR_IO_ERROR, BKR_STALE, BKR_BUSY}) {
    judged.unavailable = Failure{passing, BKR_STAGE_NONE, {}, {}};
    EXPECT_FALSE(selection.holds()) << status_name(passing);
  }
}

TEST(Judged, TellsWhatIsUnavailableWithItsStatus) {
  Judged judged{nullptr};
  judged.unavailable = Failure{BKR_NOT_FOUND, BKR_STAGE_NONE, "Nobody is there.\nNot here.", "Install it.", 0};
  EXPECT_EQ(judged.reasons(false), std::vector<std::string>{"BKR_NOT_FOUND: Nobody is there."});
  EXPECT_EQ(judged.reasons(true), std::vector<std::string>{"BKR_NOT_FOUND: Nobody is there.\nNot here.\nInstall it."});
}

TEST(Facts, AreToldInBraces) {
  EXPECT_EQ(words_of({}), "{}");
  EXPECT_EQ(words_of({{"a", "1"}, {"b", ""}}), "{a=1, b=}");
}

}  // namespace
}  // namespace bkr::core
