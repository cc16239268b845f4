// SPDX-License-Identifier: Apache-2.0
// bkr_select() without an explicit choice: who is asked, in which order, and what is said of those turned down.
#include "choosy.h"

namespace loading {
namespace {

using Reasons = std::vector<std::string>;

TEST(Loading, C1_CandidatesAreAskedInTheOrderGiven) {
  const TempDir dir;
  Choosy plugins;
  dir.drop(choosy("A", 9), "a.so");
  dir.drop(choosy("B"), "b.so");
  dir.drop(choosy("C", 99), "c.so");
  const Registry registry(dir);
  plugins.objects("B", {"head_size not supported", "dtype not supported"});

  const Selected selected = select(registry, {{{"head_size", "72"}}, {"B", "A", "C"}});
  ASSERT_TRUE(ok(selected.answer));
  EXPECT_EQ(selected.choice, "A");
  EXPECT_EQ(selected.verdicts(), "B turned down, A chosen, C not tried");
  EXPECT_EQ(selected.reasons("B"), (Reasons{"head_size not supported", "dtype not supported"}));
  EXPECT_EQ(selected.report["facts"], (Json{{"head_size", "72"}}));
  EXPECT_EQ(selected.report["family"], "attention");
  EXPECT_TRUE(selected.report["explicit"].is_null());
  EXPECT_EQ(selected.report["choice"], "A");
  EXPECT_EQ(plugins.calls(),
            (std::vector<std::string>{"create B", "validate B", "destroy B", "create A", "validate A", "destroy A"}));
  EXPECT_EQ(mapped_in(dir).size(), 2u);  // nothing of C
}

TEST(Loading, C1_WithoutCandidatesThePriorityOfTheRecordDecidesThenTheOrder) {
  const TempDir dir;
  const Choosy plugins;
  dir.drop(choosy("FIRST"), "1.so");
  dir.drop(choosy("LOW", -1), "2.so");
  dir.drop(choosy("SECOND"), "3.so");
  dir.drop(choosy("HIGH", 10), "4.so");
  dir.drop(choosy("HIGHEST", 11), "5.so");
  const Registry registry(dir);
  EXPECT_EQ(select(registry).verdicts(),
            "HIGHEST chosen, HIGH not tried, FIRST not tried, SECOND not tried, LOW not tried");
}

TEST(Loading, C1_ThePriorityIsThatOfWhoeverProvidesThePath) {
  const TempDir dir;
  const TempDir elsewhere;
  const Choosy plugins;
  dir.drop(choosy("PLAIN", 5), "plain.so");
  dir.drop(choosy("OVERRIDDEN", 4), "overridden.so");
  const Registry registry(dir);
  EXPECT_EQ(select(registry).choice, "PLAIN");
  // A named file is read for that, not run; and its record counts at the first question already.
  const std::string file = elsewhere.drop(choosy("OTHER", 6), "other.so");
  ASSERT_EQ(bkr_member_override(registry.member("OVERRIDDEN"), file.c_str(), nullptr), BKR_OK);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(select(registry).verdicts(), "OVERRIDDEN chosen, PLAIN not tried");
}

TEST(Loading, C1_MembersWithoutAProviderAreNotAsked) {
  const TempDir dir;
  const Registry registry(dir);
  const Selected selected = select(registry, {{{"head_size", "128"}, {"dtype", "bfloat16"}}});
  EXPECT_TRUE(failed(selected.answer, BKR_NO_VALID_BACKEND, BKR_STAGE_NONE,
                     {"No valid attention backend found with {head_size=128, dtype=bfloat16}. Reasons: {}."}));
  EXPECT_TRUE(selected.report["candidates"].empty());
}

TEST(Loading, C1_AnOverrideThatLeadsNowhereIsNotPassedOverInSilence) {
  const TempDir dir;
  const Choosy plugins;
  dir.drop(choosy("A"), "a.so");
  const Registry registry(dir);
  ASSERT_EQ(bkr_member_override(registry.member("FLASH_ATTN"), (dir / "gone.so").c_str(), nullptr), BKR_OK);
  ASSERT_EQ(bkr_member_override(registry.member("CUSTOM"), "no.such.Path", nullptr), BKR_OK);
  const Selected selected = select(registry);
  EXPECT_EQ(selected.verdicts(), "FLASH_ATTN turned down, CUSTOM turned down, A chosen");
  EXPECT_TRUE(has(selected.reasons("FLASH_ATTN").at(0), {"BKR_NOT_FOUND: ", "gone.so"}));
  EXPECT_TRUE(has(selected.reasons("CUSTOM").at(0), {"BKR_NOT_FOUND: ", "no.such.Path"}));
}

TEST(Loading, C1_NoneIsValidAndEachReasonOfEachIsTold) {
  const TempDir dir;
  Choosy plugins;
  dir.drop(choosy("A"), "a.so");
  dir.drop(choosy("B"), "b.so");
  const Registry registry(dir);
  plugins.objects("A", {"MLA not supported", "sparse not supported"});
  plugins.objects("B", {"unknown requirement use_teleport=1"});
  const Selected selected = select(registry, {{{"use_teleport", "1"}}});
  EXPECT_TRUE(failed(selected.answer, BKR_NO_VALID_BACKEND, BKR_STAGE_NONE,
                     {"No valid attention backend found with {use_teleport=1}. Reasons: {A: [MLA not supported, sparse "
                      "not supported], B: [unknown requirement use_teleport=1]}."}));
  EXPECT_EQ(selected.choice, "");
  EXPECT_EQ(selected.verdicts(), "A turned down, B turned down");
  EXPECT_TRUE(selected.report["choice"].is_null());
  EXPECT_EQ(selected.report["status"], "BKR_NO_VALID_BACKEND");
}

TEST(Loading, C1_WhatCannotBeLoadedHereIsTurnedDownWithItsStatus) {
  const TempDir dir;
  Choosy plugins;
  dir.drop(choosy("GOOD"), "good.so");
  dir.drop(built("needs_missing").named("NEEDS"), "needs.so");
  dir.drop(built("undefined").named("UNDEFINED"), "undefined.so");
  dir.drop(choosy("LEVEL").with_cpu_level("no-such-cpu"), "level.so");
  dir.drop(choosy("OTHER_ABI").with_header(offsetof(bkr_descriptor_header, abi_major), uint16_t{99}), "abi.so");
  dir.drop(choosy("CUT").cut(300), "cut.so");
  dir.drop(choosy("SAYS_NO"), "no.so");
  const Registry registry(dir);
  plugins.does("SAYS_NO", "create", [](choosy_call &) { return BKR_UNSUPPORTED; });
  bkr_member *torn = nullptr;
  ASSERT_EQ(bkr_member_register(registry.family(), "TORN", (dir / "cut.so").c_str(), &torn, nullptr), BKR_OK);

  const Selected selected =
      select(registry, {{}, {"FLASH_ATTN", "NEEDS", "UNDEFINED", "LEVEL", "OTHER_ABI", "TORN", "SAYS_NO", "GOOD"}});
  ASSERT_TRUE(ok(selected.answer));
  EXPECT_EQ(selected.choice, "GOOD");
  EXPECT_TRUE(has(selected.reasons("FLASH_ATTN").at(0), {"BKR_NOT_FOUND: ", dir.path()}));
  EXPECT_TRUE(has(selected.reasons("NEEDS").at(0), {"BKR_DEPENDENCY_MISSING: ", "libmissing.so", "Install"}));
  EXPECT_TRUE(has(selected.reasons("UNDEFINED").at(0), {"BKR_LOAD_FAILED: ", "loading_nobody_has_this"}));
  EXPECT_TRUE(has(selected.reasons("LEVEL").at(0), {"BKR_WRONG_PLATFORM: ", "no-such-cpu"}));
  EXPECT_TRUE(has(selected.reasons("OTHER_ABI").at(0), {"BKR_ABI_MISMATCH: ", "99"}));
  EXPECT_TRUE(has(selected.reasons("TORN").at(0), {"BKR_BAD_FILE: ", "cut.so"}));
  EXPECT_TRUE(has(selected.reasons("SAYS_NO").at(0), {"BKR_CREATE_FAILED: ", "BKR_UNSUPPORTED"}));
  // A plugin that is there and cannot be used is told to the operator; one that nobody installed is not.
  EXPECT_EQ(registry.logged({"NEEDS was turned down, and GOOD is used instead", "BKR_DEPENDENCY_MISSING"}), 1);
  EXPECT_EQ(registry.logged({"FLASH_ATTN"}), 0);
  EXPECT_EQ(registry.logged({"no-such-cpu"}), 0);
}

TEST(Loading, C1_ABlockSizeThatAlonePrecludesABetterBackendIsWarnedAbout) {
  const TempDir dir;
  Choosy plugins;
  for (const char *name : {"A", "B", "C", "D"}) dir.drop(choosy(name), std::string(name) + ".so");
  const Registry registry(dir);
  for (const char *name : {"A", "C"}) plugins.objects(name, {"block_size not supported"});
  plugins.objects("B", {"block_size not supported", "MLA not supported"});
  const Asked asked{{{"block_size", "24"}}, {"A", "B", "C", "D"}};
  for (int i = 0; i < 2; ++i) EXPECT_EQ(select(registry, asked).choice, "D");
  EXPECT_EQ(registry.logged({"block_size 24 precluded higher-priority backend(s) A, C. Using D instead."}), 1);
  EXPECT_EQ(registry.logged({"block_size"}), 1);
}

TEST(Loading, C1_NobodyIsWarnedOfABlockSizeThatWasNotAskedForOrDecidedNothing) {
  const TempDir dir;
  Choosy plugins;
  dir.drop(choosy("A"), "a.so");
  dir.drop(choosy("B"), "b.so");
  const Registry registry(dir);
  plugins.objects("A", {"block_size not supported"});
  EXPECT_EQ(select(registry, {{{"dtype", "float16"}}, {"A", "B"}}).choice, "B");
  EXPECT_EQ(select(registry, {{{"block_size", "24"}}, {"B", "A"}}).choice, "B");
  EXPECT_EQ(select(registry, {{{"block_size", "24"}}, {"A"}}).choice, "");
  EXPECT_EQ(registry.logged({"block_size"}), 0);
}

TEST(Loading, C1_AnOwnNameThatIsNoMemberIsWarnedAboutInTheAttentionFamily) {
  const TempDir dir;
  Choosy plugins;
  dir.drop(choosy("A"), "a.so");
  dir.drop(choosy("B"), "b.so");
  dir.drop(choosy("OWN_MAMBA").with_family("mamba"), "mamba.so");
  const Registry registry(dir);
  const auto another = [](choosy_call &call) {
    call.own_name = "SOMETHING_ELSE";
    return BKR_OK;
  };
  plugins.does("A", "name", another);
  plugins.does("OWN_MAMBA", "name", another);
  plugins.does("B", "name", [](choosy_call &call) {
    call.own_name = "FLASH_ATTN";
    return BKR_OK;
  });
  EXPECT_EQ(select(registry, {{}, {"B"}}).choice, "B");
  EXPECT_EQ(select(registry, {{}, {"OWN_MAMBA"}, nullptr, "mamba"}).choice, "OWN_MAMBA");
  EXPECT_EQ(registry.log().size(), 0u);
  EXPECT_EQ(select(registry, {{}, {"A"}}).choice, "A");
  EXPECT_EQ(registry.logged({"attention.A calls itself 'SOMETHING_ELSE', which is no member"}), 1);
}

TEST(Loading, C1_FamiliesSpeakOfThemselvesByTheirTitles) {
  const Registry registry{Configuration{}};
  EXPECT_TRUE(has(select(registry, {{}, {}, nullptr, "mla_prefill"}).answer.text,
                  {"No valid MLA prefill backend found with {}. Reasons: {}."}));
  bkr_family *sampler = nullptr;
  ASSERT_EQ(bkr_family_add(registry.get(), "sampler", "token sampler", &sampler, nullptr), BKR_OK);
  EXPECT_TRUE(has(select(registry, {{}, {}, nullptr, "sampler"}).answer.text, {"No valid token sampler found with"}));
}

}  // namespace
}  // namespace loading
