// SPDX-License-Identifier: Apache-2.0
// bkr_select() as a function: its arguments, and the report's way through (report, cap, need).
#include <cstring>

#include "choosy.h"

namespace loading {
namespace {

class SelectCall : public testing::Test {
 protected:
  SelectCall() { selection.struct_size = sizeof selection; }
  Answer call(char *report = nullptr, std::size_t cap = 0, std::size_t *need = nullptr) {
    return say(
        [&](bkr_error *error) { return bkr_select(registry.family(), &selection, &member, report, cap, need, error); });
  }
  const TempDir dir;
  Choosy plugins;
  const std::string file = dir.drop(choosy("A"), "a.so");
  const Registry registry{dir};
  bkr_selection selection = {};
  bkr_member *member = nullptr;
};

TEST_F(SelectCall, NothingIsNeededButAFamilyASelectionAndAPlaceForTheMember) {
  EXPECT_TRUE(ok(call()));
  ASSERT_NE(member, nullptr);
  EXPECT_STREQ(bkr_member_name(member), "A");
  EXPECT_EQ(bkr_select(registry.family(), &selection, &member, nullptr, 0, nullptr, nullptr), BKR_OK);
  const auto without = [&](bkr_family *family, const bkr_selection *asked, bkr_member **to) {
    return say([&](bkr_error *error) { return bkr_select(family, asked, to, nullptr, 0, nullptr, error); });
  };
  EXPECT_TRUE(failed(without(nullptr, &selection, &member), BKR_INVALID_ARGUMENT, 0, {"bkr_select", "family is NULL"}));
  EXPECT_TRUE(failed(without(registry.family(), nullptr, &member), BKR_INVALID_ARGUMENT, 0, {"selection is NULL"}));
  EXPECT_TRUE(failed(without(registry.family(), &selection, nullptr), BKR_INVALID_ARGUMENT, 0, {"member is NULL"}));
}

TEST_F(SelectCall, ArraysThatAreNullOrHoldNullAreRefusedByTheirIndex) {
  selection.fact_count = 1;
  EXPECT_TRUE(failed(call(), BKR_INVALID_ARGUMENT, 0, {"facts is NULL"}));
  const bkr_option facts[] = {{"head_size", "128"}, {"dtype", nullptr}, {nullptr, "x"}};
  selection.facts = facts;
  selection.fact_count = 2;
  EXPECT_TRUE(failed(call(), BKR_INVALID_ARGUMENT, 0, {"facts[1]"}));
  selection.facts = facts + 2;
  selection.fact_count = 1;
  EXPECT_TRUE(failed(call(), BKR_INVALID_ARGUMENT, 0, {"facts[0]"}));
  selection.fact_count = 0;
  selection.candidate_count = 2;
  EXPECT_TRUE(failed(call(), BKR_INVALID_ARGUMENT, 0, {"candidates is NULL", "2"}));
  const char *const names[] = {"A", nullptr};
  selection.candidates = names;
  EXPECT_TRUE(failed(call(), BKR_INVALID_ARGUMENT, 0, {"candidates[1] is NULL"}));
  EXPECT_TRUE(plugins.calls().empty());
}

TEST_F(SelectCall, AStructOfAnotherSizeAndUnknownFlagsAreRefused) {
  selection.struct_size = sizeof selection - 1;
  EXPECT_TRUE(failed(call(), BKR_INVALID_ARGUMENT, 0, {"bkr_selection", "struct_size"}));
  struct {
    bkr_selection known;
    uint64_t later;
  } longer = {selection, 1};
  longer.known.struct_size = sizeof longer;
  const auto select_longer = [&](bkr_error *error) {
    return bkr_select(registry.family(), &longer.known, &member, nullptr, 0, nullptr, error);
  };
  EXPECT_TRUE(failed(say(select_longer), BKR_INVALID_ARGUMENT, 0, {"bkr_selection", "not zero"}));
  longer.later = 0;
  EXPECT_TRUE(ok(say(select_longer)));
  selection.struct_size = sizeof selection;
  selection.flags = 2;
  EXPECT_TRUE(failed(call(), BKR_INVALID_ARGUMENT, 0, {"flags is 2"}));
}

TEST_F(SelectCall, TheReportIsWholeOrNotThereAndTheChoiceStandsAllTheSame) {
  std::size_t need = 0;
  ASSERT_TRUE(ok(call(nullptr, 0, &need)));
  EXPECT_NE(std::exchange(member, nullptr), nullptr);
  std::string report(need, '#');
  ASSERT_TRUE(ok(call(report.data(), need, &need)));
  EXPECT_EQ(std::strlen(report.c_str()) + 1, need);
  EXPECT_EQ(Json::parse(report.c_str())["choice"], "A");
  EXPECT_NE(std::exchange(member, nullptr), nullptr);

  std::string short_one(need - 1, '#');
  EXPECT_TRUE(failed(call(short_one.data(), short_one.size(), &need), BKR_BUFFER_TOO_SMALL, 0, {"bkr_select"}));
  EXPECT_EQ(short_one, std::string(need - 1, '#'));
  EXPECT_EQ(need, report.size());
  EXPECT_NE(member, nullptr);
  EXPECT_TRUE(failed(call(nullptr, 10, &need), BKR_INVALID_ARGUMENT, 0, {"report is NULL"}));
}

TEST_F(SelectCall, AFailureThatHasAReportKeepsItsStatusAlsoWhenThatDoesNotFit) {
  plugins.objects("A", {"MLA not supported"});
  const bkr_option fact = {"use_mla", "1"};
  selection.facts = &fact;
  selection.fact_count = 1;
  std::size_t need = 0;
  EXPECT_TRUE(failed(call(nullptr, 0, &need), BKR_NO_VALID_BACKEND, 0, {"A: [MLA not supported]"}));
  EXPECT_GT(need, 0u);
  std::string report(need, '#');
  EXPECT_TRUE(failed(call(report.data(), 5, &need), BKR_NO_VALID_BACKEND, 0, {"A: [MLA not supported]"}));
  EXPECT_EQ(report, std::string(need, '#'));
  EXPECT_TRUE(failed(call(report.data(), need, &need), BKR_NO_VALID_BACKEND, 0, {}));
  EXPECT_EQ(Json::parse(report.c_str())["candidates"][0]["reasons"][0], "MLA not supported");
  EXPECT_EQ(member, nullptr);
}

TEST_F(SelectCall, OfAKeyThatComesTwiceTheLastCountsAndIsAllThatIsAsked) {
  std::string given;
  plugins.does("A", "validate", [&](choosy_call &call) {
    for (uint32_t i = 0; i < call.count; ++i) given += std::string(call.facts[i].key) + "=" + call.facts[i].value + " ";
    return BKR_OK;
  });
  const Selected selected = select(registry, {{{"a", "1"}, {"b", "2"}, {"a", ""}, {"", "4"}}});
  EXPECT_EQ(given, "b=2 a= =4 ");
  EXPECT_EQ(selected.report["facts"], (Json{{"b", "2"}, {"a", ""}, {"", "4"}}));
}

TEST_F(SelectCall, ACandidateThatIsNamedTwiceIsAskedOnce) {
  plugins.objects("A", {"no"});
  EXPECT_EQ(select(registry, {{}, {"A", "A"}}).verdicts(), "A turned down");
}

}  // namespace
}  // namespace loading
