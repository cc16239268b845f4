// SPDX-License-Identifier: Apache-2.0
// Who provides a path: which of several, which record of a file, and what bars one.
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "loading_fixture.h"

namespace loading {
namespace {

constexpr const char *kFlashAttn = "vllm.v1.attention.backends.flash_attn.FlashAttentionBackend";

TEST(Loading, N3_FirstByFileNameWinsWithOneWarning) {
  const TempDir dir;
  const PluginBytes good = built("good");
  const std::string first = dir.drop(good.with_code("first"), "a.so");
  const std::string second = dir.drop(good.with_code("second"), "b.so");
  const Registry registry(dir);

  EXPECT_EQ(registry.open("GOOD").backend.code(), "first");
  EXPECT_EQ(registry.log().size(), 1u);
  EXPECT_EQ(registry.logged({first, second, "BKR_DISABLE"}), 1);
  EXPECT_TRUE(has(registry.file("b.so")["records"][0]["use"].dump(), {"shadowed by " + first}));
  ASSERT_TRUE(ok(registry.rescan()));
  EXPECT_EQ(registry.log().size(), 1u);

  const Variable disable("BKR_DISABLE", "a.so");
  const Registry without(dir);
  EXPECT_EQ(without.open("GOOD").backend.code(), "second");
  EXPECT_TRUE(without.log().empty());
}

TEST(Loading, N3_OneNewNameWithTwoPaths) {
  const TempDir dir;
  const PluginBytes good = built("good").named("DYN");
  const std::string first = dir.drop(good.with_path("test.first.Backend").with_code("first"), "a.so");
  const std::string second = dir.drop(good.with_path("test.second.Backend").with_code("second"), "b.so");
  const Registry registry(dir);

  EXPECT_EQ(registry.open("DYN").backend.code(), "first");
  EXPECT_EQ(registry.log().size(), 1u);
  EXPECT_EQ(registry.logged({"DYN", first, second, "BKR_DISABLE"}), 1);
  EXPECT_EQ(registry.open_path("test.second.Backend").backend.code(), "second");
}

TEST(Loading, N4_FirstProvidersErrorNamesTheNext) {
  const TempDir first;
  const TempDir second;
  const std::string bad = first.drop(built("undefined").with_id("test.bad"), "good.so");
  const std::string next = second.drop(built("good"), "good.so");
  const Registry registry(Configuration{{first.path(), second.path()}});

  EXPECT_TRUE(failed(registry.load("GOOD"), BKR_LOAD_FAILED, BKR_STAGE_LOAD,
                     {bad, "loading_nobody_has_this", next, "not used in its place", "test.bad", "BKR_DISABLE"}));
  EXPECT_TRUE(mapped_in(second).empty());
  // The advice works.
  ASSERT_EQ(bkr_member_override(registry.member("GOOD"), next.c_str(), nullptr), BKR_OK);
  EXPECT_TRUE(ok(registry.open("GOOD").answer));
}

TEST(Loading, N4_UnusableFirstProviderIsPassedOverWithAReason) {
  const TempDir first;
  const TempDir second;
  const std::string foreign = first.drop(built("good").with_header(24, uint16_t{9}), "good.so");
  second.drop(built("good"), "good.so");
  const Registry registry(Configuration{{first.path(), second.path()}});
  const Made made = registry.open("GOOD");
  ASSERT_TRUE(ok(made.answer));
  EXPECT_EQ(made.backend.probe().file(), second / "good.so");
  const Json candidates = registry.explain("GOOD")["candidates"];
  ASSERT_EQ(candidates.size(), 2u);
  EXPECT_EQ(candidates[0]["file"], foreign);
  EXPECT_EQ(candidates[0]["verdict"], "passed over");
  EXPECT_TRUE(has(candidates[0]["reason"].dump(), {"ABI 9."}));
  EXPECT_EQ(candidates[1]["verdict"], "chosen");
}

TEST(Loading, N10_EachCreateSeesItsFamilyAndName) {
  const TempDir dir;
  const std::string file = dir.drop(built("several"), "several.so");
  const Registry registry(dir);
  const Made attention = registry.open("FLASH_ATTN");
  const Made prefill = registry.open("FLASH_ATTN", {}, "mla_prefill");
  ASSERT_TRUE(ok(attention.answer) && ok(prefill.answer));
  EXPECT_EQ(attention.backend.family() + "." + attention.backend.name(), "attention.FLASH_ATTN");
  EXPECT_EQ(attention.backend.path(), kFlashAttn);
  EXPECT_EQ(prefill.backend.family() + "." + prefill.backend.name(), "mla_prefill.FLASH_ATTN");
  EXPECT_EQ(code_that_ran_in(dir).size(), 1u);

  // Another member that is given the path is told the record's name, not its own.
  ASSERT_EQ(bkr_member_override(registry.member("CUSTOM"), kFlashAttn, nullptr), BKR_OK);
  EXPECT_EQ(registry.open("CUSTOM").backend.name(), "FLASH_ATTN");
}

TEST(Loading, N10_FileThatHoldsSeveralBackends) {
  const TempDir dir;
  const std::string file = dir.drop(built("several"), "several.so");
  const Registry registry(dir);
  // One record behind the symbol: it is meant. Two: the one of the member's name, else nobody can tell.
  EXPECT_EQ(registry.open_path(file + "::create_other").backend.name(), "OTHER");
  EXPECT_TRUE(failed(registry.load_path(file), BKR_BAD_PATH, BKR_STAGE_NONE,
                     {file, "create_backend", kFlashAttn, "test.several.Second"}));
  ASSERT_EQ(bkr_member_override(registry.member("SECOND"), file.c_str(), nullptr), BKR_OK);
  EXPECT_EQ(registry.open("SECOND").backend.name(), "SECOND");
  ASSERT_EQ(bkr_member_override(registry.member("CUSTOM", "mla_prefill"), file.c_str(), nullptr), BKR_OK);
  EXPECT_EQ(registry.open("CUSTOM", {}, "mla_prefill").backend.name(), "FLASH_ATTN");
  ASSERT_EQ(bkr_member_override(registry.member("CUSTOM", "mamba"), file.c_str(), nullptr), BKR_OK);
  EXPECT_TRUE(failed(registry.load("CUSTOM", "mamba"), BKR_BAD_PATH, BKR_STAGE_NONE, {"mamba", file}));
}

TEST(Loading, N11_EnableAndDisable) {
  const TempDir dir;
  const std::string one = dir.drop(built("good").named("ONE"), "one.so");
  dir.drop(built("good").named("TWO"), "two.so");
  {
    const Variable enable("BKR_ENABLE", "TEST.o*");  // on the id, whatever the letters' case
    const Registry registry(dir);
    EXPECT_TRUE(ok(registry.load("ONE")));
    EXPECT_EQ(registry.member("TWO"), nullptr);
    EXPECT_EQ(registry.file("two.so")["status"], "BKR_DENIED");
    EXPECT_EQ(registry.file("two.so")["stage"], "policy");
    EXPECT_TRUE(has(registry.file("two.so")["reason"].dump(), {"BKR_ENABLE"}));
    const Variable disable("BKR_DISABLE", "one.so,two.so");  // enable decides
    EXPECT_TRUE(ok(Registry(dir).load("ONE")));
  }
  const Variable disable("BKR_DISABLE", "*");
  const Registry registry(dir);
  EXPECT_EQ(registry.member("ONE"), nullptr);
  EXPECT_TRUE(failed(registry.load_path(path_of("ONE")), BKR_DENIED, BKR_STAGE_POLICY, {one, "BKR_DISABLE"}));
  // Named explicitly it is taken, by whichever way.
  EXPECT_TRUE(ok(registry.load_path(one)));
  const Variable path("BKR_PLUGIN_PATH", one);
  EXPECT_TRUE(ok(Registry().open("ONE").answer));
}

bkr_status BKR_CALL count_calls(const bkr_create_args *args, bkr_backend **, bkr_error *) {
  ++*static_cast<int *>(args->user);
  return BKR_CREATE_FAILED;
}

TEST(Loading, N12_ProviderInTheHostComesFirstUntilWithdrawn) {
  const TempDir dir;
  dir.drop(built("good"), "good.so");
  const Registry registry(dir);
  const char *path = bkr_member_default_path(registry.member("GOOD"));
  int first = 0;
  int second = 0;
  const auto provide = [&](bkr_create_backend_fn create, void *user) {
    return bkr_provide(registry.family(), path, create, user, nullptr);
  };

  EXPECT_TRUE(ok(registry.open("GOOD").answer));
  ASSERT_EQ(provide(count_calls, &first), BKR_OK);
  EXPECT_TRUE(failed(registry.open("GOOD").answer, BKR_CREATE_FAILED, BKR_STAGE_CREATE, {"the host"}));
  ASSERT_EQ(provide(count_calls, &second), BKR_OK);
  EXPECT_EQ(registry.open("GOOD").answer.status, BKR_CREATE_FAILED);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 1);
  EXPECT_EQ(registry.explain("GOOD")["candidates"][0]["provider"], "in-process");
  ASSERT_EQ(provide(nullptr, nullptr), BKR_OK);
  EXPECT_TRUE(ok(registry.open("GOOD").answer));
  EXPECT_EQ(first + second, 2);
}

TEST(Loading, N14_StrictPolicyHoldsForNamedFilesToo) {
  const TempDir dir;
  const std::string file = dir.drop(built("good"), "good.so");
  ::chmod(file.c_str(), 0777);
  const Registry lenient(dir);
  EXPECT_TRUE(ok(lenient.open("GOOD").answer));
  EXPECT_EQ(lenient.logged({file, "any user may write"}), 1);

  const Registry strict(Configuration{{dir.path()}, BKR_CONFIG_STRICT});
  const Registry elsewhere(Configuration{{}, BKR_CONFIG_STRICT});
  EXPECT_EQ(strict.file("good.so")["status"], "BKR_DENIED");
  for (const Answer &answer : {strict.load_path(path_of("good")), strict.load_path(file), strict.load_path("good.so"),
                               elsewhere.load_path(file)}) {
    EXPECT_TRUE(failed(answer, BKR_DENIED, BKR_STAGE_POLICY, {file, "any user may write"}));
  }
}

}  // namespace
}  // namespace loading
