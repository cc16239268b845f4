// SPDX-License-Identifier: Apache-2.0
// Where plugins are looked for. S13 (a moved installation) is in tests/install.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "child.h"
#include "loading_fixture.h"

namespace loading {
namespace {

namespace fs = std::filesystem;

std::string stem(int number) { return "N" + std::to_string(1000 + number); }

TEST(Loading, S1_FoundFromAnyWorkingDirectory) {
  const TempDir dir;
  const TempDir deleted;
  dir.drop(built("good"), "good.so");
  const Variable path("BKR_PLUGIN_PATH", dir.path());
  for (const std::string &where : {std::string("/"), dir.path(), deleted.path()}) {
    EXPECT_TRUE(in_child([&] {
                  ASSERT_EQ(::chdir(where.c_str()), 0);
                  if (where == deleted.path()) {
                    ASSERT_EQ(::rmdir(where.c_str()), 0);
                  }
                  const Registry registry;
                  EXPECT_EQ(registry.file("good.so")["path"], dir / "good.so");
                  const Made made = registry.open("GOOD");
                  ASSERT_TRUE(ok(made.answer));
                  EXPECT_EQ(made.backend.probe().file(), dir / "good.so");
                }).ended_well())
        << "from " << where;
  }
}

TEST(Loading, S1_RelativeDirectoryMeansTheWorkingDirectoryAtOpen) {
  const TempDir dir;
  fs::create_directory(dir / "plugins");
  dir.drop(built("good"), "plugins/good.so");
  EXPECT_TRUE(in_child([&] {
                ASSERT_EQ(::chdir(dir.path().c_str()), 0);
                const Registry registry(Configuration{{"plugins/../plugins"}});
                ASSERT_EQ(::chdir("/"), 0);
                ASSERT_TRUE(ok(registry.rescan()));
                EXPECT_EQ(registry.report()["directories"][0]["path"], dir / "plugins");
                const Made made = registry.open("GOOD");
                ASSERT_TRUE(ok(made.answer));
                EXPECT_EQ(made.backend.probe().file(), dir / "plugins/good.so");
              }).ended_well());
}

TEST(Loading, S1_RelativeItemOfThePluginPathIsFixedAtOpen) {
  const TempDir dir;
  fs::create_directory(dir / "plugins");
  dir.drop(built("good"), "plugins/good.so");
  EXPECT_TRUE(in_child([&] {
                ASSERT_EQ(::chdir(dir.path().c_str()), 0);
                const Variable path("BKR_PLUGIN_PATH", "plugins");
                const Registry registry;
                EXPECT_EQ(registry.report()["directories"][0]["path"], dir / "plugins");
                ASSERT_EQ(::chdir("/"), 0);
                ASSERT_TRUE(ok(registry.rescan()));
                EXPECT_EQ(registry.report()["directories"][0]["path"], dir / "plugins");
              }).ended_well());
}

TEST(Loading, S2_MissingDirectoryIsReportedAndPassedOver) {
  const TempDir dir;
  dir.drop(built("good"), "good.so");
  const Variable path("BKR_PLUGIN_PATH", "/none-of-that-name:" + dir.path());

  const Registry registry;

  EXPECT_TRUE(ok(registry.open("GOOD").answer));
  const Json directories = registry.report()["directories"];
  ASSERT_EQ(directories.size(), 2u);
  EXPECT_EQ(directories[0]["path"], "/none-of-that-name");
  EXPECT_EQ(directories[0]["state"], "missing");
  EXPECT_EQ(directories[0]["origin"], "environment");
  EXPECT_EQ(directories[1]["state"], "ok");
  EXPECT_TRUE(registry.log().empty());
}

TEST(Loading, S3_UnknownNameNamesTheValidAndTheNearestOne) {
  const TempDir dir;
  dir.drop(built("good").named("SPARKLING"), "good.so");
  const Registry registry(dir);

  const Answer answer = registry.open("SPARKLIN").answer;

  EXPECT_TRUE(failed(answer, BKR_UNKNOWN_NAME, BKR_STAGE_NONE,
                     {"'SPARKLIN'", "FLASH_ATTN, ", "CPU_ATTN", "SPARKLING", "Did you mean 'SPARKLING'?"}));
  EXPECT_TRUE(failed(registry.open("cpu_attn").answer, BKR_UNKNOWN_NAME, BKR_STAGE_NONE, {"Did you mean 'CPU_ATTN'?"}));
  EXPECT_TRUE(failed(registry.open("GOOD", {}, "atention").answer, BKR_UNKNOWN_FAMILY, BKR_STAGE_NONE,
                     {"'atention'", "mla_prefill", "Did you mean 'attention'?"}));
}

TEST(Loading, S4_PathWithoutProviderListsEveryPlaceAndItsState) {
  const TempDir dir;
  const std::string file = dir.drop("no directory", "file");
  dir.drop(built("good"), "good.so");
  const Variable path("BKR_PLUGIN_PATH", "/none-of-that-name:" + file + "/");
  const Registry registry(dir);
  const std::string cpu_attn = "vllm.v1.attention.backends.cpu_attn.CPUAttentionBackend";

  for (const Answer &answer : {registry.load("CPU_ATTN"), registry.resolve("CPU_ATTN"), registry.load_path(cpu_attn)}) {
    EXPECT_TRUE(failed(answer, BKR_NOT_FOUND, BKR_STAGE_NONE,
                       {cpu_attn, dir.path() + " (config): ok, 1 library", "/none-of-that-name (environment): missing",
                        file, "not a directory", "BKR_PLUGIN_PATH"}));
  }
  EXPECT_TRUE(registry.explain("CPU_ATTN")["target"].is_null());
}

TEST(Loading, S5_EmptyVariableIsAsUnset) {
  const TempDir dir;
  dir.drop(built("good"), "good.so");
  const Variable path("BKR_PLUGIN_PATH", "");
  const Variable enable("BKR_ENABLE", "");
  const Variable disable("BKR_DISABLE", "");
  const Variable log("BKR_LOG", "");
  const Variable defaults("BKR_DEFAULT_DIRS", "");
  const Variable override_good("BKR_OVERRIDE_ATTENTION_GOOD", "");

  const Registry registry(dir);

  const Made made = registry.open("GOOD");
  ASSERT_TRUE(ok(made.answer));
  EXPECT_EQ(bkr_member_is_overridden(registry.member("GOOD")), 0);
  EXPECT_EQ(registry.report()["directories"].size(), 1u);
  EXPECT_TRUE(registry.report()["environment"].empty());
  EXPECT_TRUE(registry.log().empty());
}

TEST(Loading, S5_EmptyItemsOfAListAreSkipped) {
  const TempDir dir;
  dir.drop(built("good"), "good.so");
  EXPECT_TRUE(in_child([&] {
                // An empty item would mean the working directory to some loaders.
                ASSERT_EQ(::chdir(dir.path().c_str()), 0);
                const Variable path("BKR_PLUGIN_PATH", "::");
                const Registry registry;
                EXPECT_TRUE(registry.report()["directories"].empty());
                EXPECT_TRUE(failed(registry.find("GOOD"), BKR_UNKNOWN_NAME, BKR_STAGE_NONE, {}));
              }).ended_well());
}

TEST(Loading, S6_OverrideWithAMissingFileNamesVariableAndFile) {
  const TempDir dir;
  dir.drop(built("good"), "good.so");
  const std::string missing = dir / "not_there.so";
  const Variable override_good("BKR_OVERRIDE_ATTENTION_GOOD", missing);
  const Registry registry(dir);  // at the default level

  const Answer answer = registry.open("GOOD").answer;

  EXPECT_TRUE(failed(answer, BKR_NOT_FOUND, BKR_STAGE_OPEN,
                     {"BKR_OVERRIDE_ATTENTION_GOOD", missing, "does not exist", "Nothing else is used in its place"}));
  EXPECT_EQ(registry.logged({"BKR_OVERRIDE_ATTENTION_GOOD", missing}), 1);
  const Json explained = registry.explain("GOOD");
  EXPECT_EQ(explained["path"]["decided_by"], "environment");
  EXPECT_EQ(explained["path"]["variable"], "BKR_OVERRIDE_ATTENTION_GOOD");
  EXPECT_TRUE(mapped_in(dir).empty());
}

TEST(Loading, S6_IsPrintedByAHostWithoutALogOfItsOwn) {
  const TempDir dir;
  dir.drop(built("good"), "good.so");
  const std::string missing = dir / "not_there.so";

  const Child child = run_child({"run", dir.path(), "GOOD"}, {{"BKR_OVERRIDE_ATTENTION_GOOD", missing}});

  EXPECT_EQ(child.exit_code, 1);
  EXPECT_TRUE(has(child.err, {"[backend_registry]", "BKR_OVERRIDE_ATTENTION_GOOD", missing}));
}

TEST(Loading, S7_PluginInTheWorkingDirectoryAloneIsNeverLoaded) {
  const TempDir dir;
  dir.drop(built("good"), "good.so");
  EXPECT_TRUE(in_child([&] {
                ASSERT_EQ(::chdir(dir.path().c_str()), 0);
                // The system's own search would find it.
                const Variable search("LD_LIBRARY_PATH", dir.path());
                const Variable override_custom("BKR_OVERRIDE_ATTENTION_CUSTOM", "good.so");
                const Registry registry;
                EXPECT_TRUE(failed(registry.load("CUSTOM"), BKR_NOT_FOUND, BKR_STAGE_NONE,
                                   {"good.so", "never in the working directory"}));
                EXPECT_TRUE(failed(registry.load_path("good.so"), BKR_NOT_FOUND, BKR_STAGE_NONE, {"good.so"}));
                EXPECT_TRUE(failed(registry.load_path("good.so::create_backend"), BKR_NOT_FOUND, BKR_STAGE_NONE, {}));
                EXPECT_TRUE(failed(registry.load_path(path_of("good")), BKR_NOT_FOUND, BKR_STAGE_NONE, {}));
                EXPECT_TRUE(failed(registry.load_path("libc.so.6::malloc"), BKR_NOT_FOUND, BKR_STAGE_NONE, {}));
                EXPECT_TRUE(mapped_in(dir).empty());
                // With a directory it is named, and taken.
                EXPECT_TRUE(ok(registry.load_path("./good.so")));
              }).ended_well());
}

TEST(Loading, S7_RecordCannotPointIntoTheWorkingDirectory) {
  // A record's path is a name to be provided, never a file to go and open.
  const TempDir dir;
  const TempDir here;
  dir.drop(built("good").named("FAR").with_path("./evil.so"), "far.so");
  here.drop(built("good").named("EVIL"), "evil.so");
  EXPECT_TRUE(in_child([&] {
                ASSERT_EQ(::chdir(here.path().c_str()), 0);
                const Registry registry(dir);
                registry.open("FAR");
                registry.load_path("./far.so");
                EXPECT_TRUE(mapped_in(here).empty());
              }).ended_well());
}

TEST(Loading, S8_ListedInOneOrderWhateverTheOrderOfMaking) {
  std::vector<int> numbers(50);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<std::string> sorted;
  for (const int number : numbers) sorted.push_back(stem(number) + ".so");
  const PluginBytes good = built("good");
  std::mt19937 random(8);
  for (int run = 0; run < 20; ++run) {
    const TempDir dir;
    std::shuffle(numbers.begin(), numbers.end(), random);
    for (const int number : numbers) dir.drop(good.named(stem(number)), stem(number) + ".so");
    const Registry registry(dir);
    ASSERT_EQ(registry.files(), sorted) << "run " << run;
    // The members that they bring stand in the same order, behind the built-in ones.
    for (uint32_t i = 0; i < 50; ++i) {
      ASSERT_EQ(std::string(bkr_member_name(bkr_family_member_at(registry.family(), 46 + i))),
                stem(static_cast<int>(i)));
    }
  }
}

TEST(Loading, S12_FileInThePluginPathMayHaveAnyName) {
  const TempDir dir;
  const Variable path("BKR_PLUGIN_PATH", dir.drop(built("good"), "plugin.bin"));
  const Registry registry;
  EXPECT_EQ(registry.report()["directories"][0]["state"], "file");
  EXPECT_TRUE(ok(registry.open("GOOD").answer));
}

TEST(Loading, S12_NewNameComesWithItsFile) {
  const TempDir dir;
  Registry registry(dir);
  EXPECT_EQ(registry.member("NEVER_HEARD_OF"), nullptr);

  dir.drop(built("good").named("NEVER_HEARD_OF"), "third_party.so");
  ASSERT_TRUE(ok(registry.rescan()));

  const Made made = registry.open("NEVER_HEARD_OF");
  ASSERT_TRUE(ok(made.answer));
  EXPECT_EQ(made.backend.name(), "NEVER_HEARD_OF");
  EXPECT_EQ(made.backend.family(), "attention");
  EXPECT_EQ(made.backend.path(), path_of("NEVER_HEARD_OF"));
  EXPECT_EQ(registry.file("third_party.so")["records"][0]["use"], "new member");
}

}  // namespace
}  // namespace loading
