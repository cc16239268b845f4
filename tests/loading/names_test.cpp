// SPDX-License-Identifier: Apache-2.0
// Which name means what, and which path it has.
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "child.h"
#include "loading_fixture.h"

namespace loading {
namespace {

namespace fs = std::filesystem;

constexpr const char *kCpuAttn = "vllm.v1.attention.backends.cpu_attn.CPUAttentionBackend";

std::string default_path(const bkr_member *member) {
  const char *path = bkr_member_default_path(member);
  return path ? path : "none";
}

TEST(Loading, N1_NameOfAFileYieldsToTheHost) {
  const TempDir dir;
  dir.drop(built("good").named("DYN"), "dyn.so");
  dir.drop(built("good").named("HOST").with_code("the host's choice"), "host.so");
  const Registry registry(dir);
  bkr_member *before = registry.member("DYN");
  ASSERT_NE(before, nullptr);
  ASSERT_TRUE(ok(registry.load("DYN")));
  const uint64_t epoch = bkr_registry_epoch(registry.get());

  bkr_member *registered = nullptr;
  EXPECT_TRUE(ok(say([&](bkr_error *error) {
    return bkr_member_register(registry.family(), "DYN", path_of("HOST").c_str(), &registered, error);
  })));

  EXPECT_EQ(registered, before);
  EXPECT_EQ(registry.member("DYN"), before);
  EXPECT_EQ(default_path(before), path_of("HOST"));
  EXPECT_EQ(bkr_member_is_overridden(before), 0);
  EXPECT_GT(bkr_registry_epoch(registry.get()), epoch);
  EXPECT_EQ(registry.open("DYN").backend.code(), "the host's choice");
  // Now it is the host's: neither a second registration nor a rescan changes that.
  EXPECT_TRUE(failed(
      say([&](bkr_error *error) { return bkr_member_register(registry.family(), "DYN", "x.Y", nullptr, error); }),
      BKR_ALREADY_EXISTS, BKR_STAGE_NONE, {"Backend DYN already exists in AttentionBackendEnum."}));
  ASSERT_TRUE(ok(registry.rescan()));
  EXPECT_EQ(default_path(before), path_of("HOST"));
}

TEST(Loading, N2_FileDoesNotTakeOverFindByPath) {
  const TempDir dir;
  dir.drop(built("good").with_name("CLAIMS_CPU").with_path(kCpuAttn), "claims.so");
  const Registry registry(dir);
  bkr_member *found = nullptr;

  ASSERT_EQ(bkr_member_find_by_path(registry.family(), kCpuAttn, &found, nullptr), BKR_OK);
  EXPECT_EQ(std::string(bkr_member_name(found)), "CPU_ATTN");
  // The path is provided all the same, under both names.
  EXPECT_TRUE(ok(registry.open("CPU_ATTN").answer));
  EXPECT_TRUE(ok(registry.open("CLAIMS_CPU").answer));
}

TEST(Loading, N2_FileDoesNotTakeOverAName) {
  const TempDir dir;
  dir.drop(built("good").named("CPU_ATTN"), "mine.so");
  const Registry registry(dir);

  EXPECT_EQ(default_path(registry.member("CPU_ATTN")), kCpuAttn);
  EXPECT_TRUE(failed(registry.load("CPU_ATTN"), BKR_NOT_FOUND, BKR_STAGE_NONE, {kCpuAttn}));
  EXPECT_TRUE(has(registry.file("mine.so")["records"][0]["use"].dump(), {"name taken", path_of("CPU_ATTN")}));
  EXPECT_TRUE(ok(registry.open_path(path_of("CPU_ATTN")).answer));
}

TEST(Loading, N5_OddPathsAreReadAsTheGrammarSays) {
  const TempDir dir;
  fs::create_directories(dir / "a::b");
  dir.drop(built("good"), "a::b/libx.so");
  dir.drop(built("good"), "libx.so");
  dir.drop(built("good"), "x.so");
  const Registry registry(dir);

  EXPECT_TRUE(ok(registry.load_path(dir / "a::b/libx.so")));
  EXPECT_TRUE(ok(registry.load_path(dir / "a::b/libx.so::create_backend")));
  EXPECT_TRUE(ok(registry.load_path("libx.so")));
  EXPECT_TRUE(ok(registry.load_path("libx.so::create_backend")));
  // Neither libx.so nor x.so may be taken for these: they are dotted.
  for (const char *dotted : {"libx.so::ns::make", "x.so::9f", "libx.so::"}) {
    EXPECT_TRUE(failed(registry.load_path(dotted), BKR_NOT_FOUND, BKR_STAGE_NONE,
                       {std::string("No plugin provides Path '") + dotted + "'"}));
  }
  for (const char *word : {"a..b", ".a", "a.", "foo"}) {
    EXPECT_TRUE(failed(registry.load_path(word), BKR_BAD_PATH, BKR_STAGE_NONE, {std::string("'") + word + "'"}));
    // Given to a member they are kept to the letter, and fail when they are used.
    ASSERT_EQ(bkr_member_override(registry.member("CUSTOM"), word, nullptr), BKR_OK);
    EXPECT_TRUE(failed(registry.load("CUSTOM"), BKR_BAD_PATH, BKR_STAGE_NONE, {"attention.CUSTOM", word}));
  }
  EXPECT_TRUE(failed(registry.load_path("plugins/"), BKR_BAD_PATH, BKR_STAGE_NONE, {"plugins/", "separator"}));
  EXPECT_TRUE(failed(registry.load_path("C:\\x\\y.dll::f"), BKR_NOT_FOUND, BKR_STAGE_NONE, {"C:\\x\\y.dll::f"}));
  EXPECT_TRUE(failed(registry.load_path(""), BKR_BAD_PATH, BKR_STAGE_NONE, {"empty"}));
  EXPECT_TRUE(failed(registry.load_path("/" + std::string(4095, 'x')), BKR_BAD_PATH, BKR_STAGE_NONE, {"4095"}));
}

TEST(Loading, N6_RelativePathMeansTheWorkingDirectoryWhenGiven) {
  const TempDir one;
  const TempDir two;
  one.drop(built("good").with_code("one"), "x.so");
  two.drop(built("good").with_code("two"), "x.so");
  EXPECT_TRUE(in_child([&] {
                const Registry registry;
                ASSERT_EQ(::chdir(one.path().c_str()), 0);
                ASSERT_EQ(bkr_member_override(registry.member("CUSTOM"), "./x.so", nullptr), BKR_OK);
                ASSERT_EQ(::chdir(two.path().c_str()), 0);
                ASSERT_EQ(bkr_member_override(registry.member("CPU_ATTN"), "./x.so", nullptr), BKR_OK);
                ASSERT_EQ(::chdir("/"), 0);
                EXPECT_EQ(registry.open("CUSTOM").backend.code(), "one");
                EXPECT_EQ(registry.open("CPU_ATTN").backend.code(), "two");
                const char *path = nullptr;
                ASSERT_EQ(bkr_member_path(registry.member("CUSTOM"), &path, nullptr), BKR_OK);
                EXPECT_EQ(std::string(path), "./x.so");  // as it was given
              }).ended_well());
}

TEST(Loading, N7_VariableThatNamesTwoMembers) {
  const TempDir dir;
  const std::string file = dir.drop(built("undescribed"), "x.so");
  const Variable both("BKR_OVERRIDE_MLA_PREFILL_CPU", file);
  const Registry registry;
  EXPECT_TRUE(registry.log().empty());
  ASSERT_EQ(bkr_family_add(registry.get(), "mla", "MLA backend", nullptr, nullptr), BKR_OK);
  ASSERT_EQ(bkr_member_register(registry.family("mla"), "PREFILL_CPU", "x.Y", nullptr, nullptr), BKR_OK);

  EXPECT_EQ(bkr_member_override_source(registry.member("CPU", "mla_prefill")), BKR_OVERRIDE_ENVIRONMENT);
  EXPECT_EQ(bkr_member_override_source(registry.member("PREFILL_CPU", "mla")), BKR_OVERRIDE_ENVIRONMENT);
  EXPECT_TRUE(ok(registry.open("CPU", {}, "mla_prefill").answer));
  EXPECT_TRUE(ok(registry.open("PREFILL_CPU", {}, "mla").answer));
  ASSERT_TRUE(ok(registry.rescan()));
  EXPECT_EQ(registry.logged({"BKR_OVERRIDE_MLA_PREFILL_CPU"}), 1);
}

TEST(Loading, N7_IsToldWhenTheSecondMemberAppears) {
  const Variable both("BKR_OVERRIDE_MLA_PREFILL_CPU", "x.Y");
  const Registry registry;
  ASSERT_EQ(bkr_family_add(registry.get(), "mla", "MLA backend", nullptr, nullptr), BKR_OK);
  ASSERT_EQ(bkr_member_register(registry.family("mla"), "PREFILL_CPU", "x.Y", nullptr, nullptr), BKR_OK);
  EXPECT_EQ(registry.logged({"BKR_OVERRIDE_MLA_PREFILL_CPU"}), 1);
}

TEST(Loading, N8_OverrideWaitsForItsMember) {
  const TempDir dir;
  const std::string file = dir.drop(built("good"), "x.so");
  const Variable later("BKR_OVERRIDE_ATTENTION_LATER", file);
  const Registry registry;
  EXPECT_TRUE(registry.log().empty());
  EXPECT_EQ(registry.report()["environment"][0]["state"], "unknown");

  bkr_member *member = nullptr;
  ASSERT_EQ(bkr_member_register(registry.family(), "LATER", "no.such.Backend", &member, nullptr), BKR_OK);

  EXPECT_EQ(bkr_member_override_source(member), BKR_OVERRIDE_ENVIRONMENT);
  EXPECT_EQ(registry.report()["environment"][0]["state"], "used");
  EXPECT_TRUE(ok(registry.open("LATER").answer));
}

TEST(Loading, N8_RelativeOverrideIsFixedWhenItIsRead) {
  const TempDir one;
  const TempDir two;
  one.drop(built("good").with_code("one"), "x.so");
  two.drop(built("good").with_code("two"), "x.so");
  EXPECT_TRUE(in_child([&] {
                const Variable custom("BKR_OVERRIDE_ATTENTION_CUSTOM", "./x.so");
                const Variable later("BKR_OVERRIDE_ATTENTION_LATER", "./x.so");
                ASSERT_EQ(::chdir(one.path().c_str()), 0);
                const Registry registry;
                ASSERT_EQ(::chdir(two.path().c_str()), 0);
                ASSERT_EQ(bkr_member_register(registry.family(), "LATER", nullptr, nullptr, nullptr), BKR_OK);
                EXPECT_EQ(registry.open("CUSTOM").backend.code(), "one");
                EXPECT_EQ(registry.open("LATER").backend.code(), "one");
              }).ended_well());
}

TEST(Loading, N8_OverrideOfANameThatAFileBrings) {
  const TempDir dir;
  const TempDir other;
  dir.drop(built("good").with_code("the record's"), "good.so");
  const std::string file = other.drop(built("good").with_code("the operator's"), "x.so");
  const Variable override_good("BKR_OVERRIDE_ATTENTION_GOOD", file);
  const Registry registry(dir);
  EXPECT_EQ(registry.open("GOOD").backend.code(), "the operator's");
  EXPECT_TRUE(registry.log().empty());
}

TEST(Loading, N9_NewEpochNeverCarriesAnOldAnswer) {
  const Registry registry;
  bkr_member *member = registry.member("CUSTOM");
  ASSERT_EQ(bkr_member_override(member, "n.0", nullptr), BKR_OK);
  const uint64_t start = bkr_registry_epoch(registry.get());
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  const auto read = [&] {
    while (!done.load()) {
      const uint64_t before = bkr_registry_epoch(registry.get());
      const char *path = nullptr;
      if (bkr_member_path(member, &path, nullptr) != BKR_OK) ++wrong;
      // Change number k is published by epoch start + k, after it was made.
      if (std::stoull(path + 2) < before - start) ++wrong;
    }
  };
  std::thread one(read), two(read);
  for (int change = 1; change <= 20000; ++change) {
    const std::string path = "n." + std::to_string(change);
    if (bkr_member_override(member, path.c_str(), nullptr) != BKR_OK) ++wrong;
  }
  done = true;
  one.join();
  two.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(bkr_registry_epoch(registry.get()), start + 20000);
}

TEST(Loading, N13_RecordOfAFamilyThatTheHostAddsLater) {
  const TempDir dir;
  dir.drop(built("good").named("GREEDY").with_family("sampler"), "greedy.so");
  const Registry registry(dir);
  EXPECT_TRUE(has(registry.file("greedy.so")["records"][0]["use"].dump(), {"no such family"}));
  ASSERT_EQ(bkr_family_add(registry.get(), "sampler", "sampler backend", nullptr, nullptr), BKR_OK);

  const Made made = registry.open("GREEDY", {}, "sampler");
  ASSERT_TRUE(ok(made.answer));
  EXPECT_EQ(made.backend.family(), "sampler");
  EXPECT_EQ(registry.file("greedy.so")["records"][0]["use"], "new member");
  EXPECT_EQ(registry.member("GREEDY"), nullptr);
}

}  // namespace
}  // namespace loading
