// SPDX-License-Identifier: Apache-2.0
// From a file that is a plugin to a backend.
#include <backend_registry/descriptor.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "child.h"
#include "loading_fixture.h"

namespace loading {
namespace {

namespace fs = std::filesystem;

TEST(Loading, L1_MissingCreateFunctionIsNamedWithItsFile) {
  const TempDir dir;
  const std::string bare = dir.drop(built("no_create"), "bare.so");
  const std::string promised = dir.drop(built("no_create_but_record").named("PROMISED"), "promised.so");
  const std::string misspelt = dir.drop(built("good").named("MISSPELT").with_symbol("create_bakcend"), "misspelt.so");
  const Registry registry(dir);

  EXPECT_TRUE(failed(registry.load_path(bare), BKR_SYMBOL_MISSING, BKR_STAGE_SYMBOL, {"create_backend", bare}));
  EXPECT_TRUE(failed(registry.load_path(bare + "::make_it"), BKR_SYMBOL_MISSING, BKR_STAGE_SYMBOL, {"make_it", bare}));
  EXPECT_TRUE(failed(registry.load("PROMISED"), BKR_SYMBOL_MISSING, BKR_STAGE_SYMBOL,
                     {"attention.PROMISED", "create_backend", promised, "BKR_EXPORT"}));
  EXPECT_TRUE(failed(registry.load("MISSPELT"), BKR_SYMBOL_MISSING, BKR_STAGE_SYMBOL, {"create_bakcend", misspelt}));
}

TEST(Loading, L1_SymbolOfAnotherLibraryIsNotThePlugins) {
  const TempDir dir;
  const std::string file = dir.drop(built("needs_borrowing").named("BORROWING"), "borrowing.so");
  dir.drop(built("libcreating"), "libcreating.so");
  dir.drop(built("good").named("LIBC").with_symbol("free"), "libc_is_no_plugin.so");
  const Registry registry(dir);

  EXPECT_TRUE(
      failed(registry.load("BORROWING"), BKR_SYMBOL_MISSING, BKR_STAGE_SYMBOL, {"create_backend", file, "of its own"}));
  EXPECT_TRUE(failed(registry.load("LIBC"), BKR_SYMBOL_MISSING, BKR_STAGE_SYMBOL, {"free", "of its own"}));
}

TEST(Loading, L2_MissingDependencyIsNamedWithWhoNeedsIt) {
  const TempDir dir;
  const std::string file = dir.drop(built("needs_missing"), "good.so");
  const Registry registry(dir);
  EXPECT_TRUE(failed(registry.load("GOOD"), BKR_DEPENDENCY_MISSING, BKR_STAGE_LOAD,
                     {"attention.GOOD", file, "libmissing.so", "cannot open shared object file"}));

  // Once it is there, the next attempt succeeds: a failure is not kept. (In a child, so that this process still
  // lacks it for the tests that follow.)
  dir.drop(built("libmissing"), "libmissing.so");
  EXPECT_TRUE(in_child([&] { EXPECT_TRUE(ok(registry.open("GOOD").answer)); }).ended_well());
}

TEST(Loading, L2_MissingDependencyOfADependency) {
  const TempDir dir;
  const std::string file = dir.drop(built("needs_half"), "good.so");
  dir.drop(built("libhalf"), "libhalf.so");
  const Registry registry(dir);
  EXPECT_TRUE(failed(registry.load("GOOD"), BKR_DEPENDENCY_MISSING, BKR_STAGE_LOAD,
                     {file, dir / "libhalf.so", "libmissing.so"}));
}

TEST(Loading, L3_UndefinedSymbolIsToldAtLoad) {
  const TempDir dir;
  const std::string file = dir.drop(built("undefined"), "good.so");
  const Registry registry(dir);
  EXPECT_TRUE(failed(registry.load("GOOD"), BKR_LOAD_FAILED, BKR_STAGE_LOAD,
                     {"attention.GOOD", file, "loading_nobody_has_this"}));
}

TEST(Loading, L4_LibraryBesideThePluginIsFound) {
  const TempDir dir;
  dir.drop(built("needs_beside"), "good.so");
  dir.drop(built("libbeside"), "libbeside.so");
  // In a child, since a libbeside.so that is in memory would serve every later test.
  EXPECT_TRUE(in_child([&] {
                const Registry registry(dir);
                const Made made = registry.open("GOOD");
                ASSERT_TRUE(ok(made.answer));
                EXPECT_EQ(made.backend.code(), LOADING_CODE);
              }).ended_well());
}

TEST(Loading, L4_AlsoThroughALinkFromElsewhere) {
  // $ORIGIN is where the file lies, not where a link to it does.
  const TempDir dir;
  const TempDir linked;
  fs::create_symlink(dir.drop(built("needs_beside"), "good.so"), linked / "good.so");
  dir.drop(built("libbeside"), "libbeside.so");
  EXPECT_TRUE(in_child([&] {
                const Registry registry(linked);
                EXPECT_TRUE(ok(registry.open("GOOD").answer));
              }).ended_well());
}

TEST(Loading, L5_OtherAbiIsRefusedBeforeAnyOfItsCodeRuns) {
  const uint32_t abi = bkr_abi_version();
  const auto major = static_cast<uint16_t>(abi >> 16);
  const auto minor = static_cast<uint16_t>(abi & 0xffff);
  const auto text = [](int a, int b) { return std::to_string(a) + "." + std::to_string(b); };
  const TempDir dir;
  const PluginBytes good = built("good");
  const std::size_t at_major = offsetof(bkr_descriptor_header, abi_major);
  const std::size_t at_least = offsetof(bkr_descriptor_header, abi_minor_min);
  const std::size_t at_minor = offsetof(bkr_descriptor_header, abi_minor);
  const auto above = static_cast<uint16_t>(minor + 1);
  dir.drop(good.named("MAJOR").with_header(at_major, static_cast<uint16_t>(major + 1)), "major.so");
  dir.drop(good.named("LEAST").with_header(at_least, above).with_header(at_minor, above), "least.so");
  dir.drop(good.named("MINOR").with_header(at_minor, static_cast<uint16_t>(minor + 7)), "minor.so");
  const Registry registry(dir);

  EXPECT_TRUE(failed(registry.load("MAJOR"), BKR_ABI_MISMATCH, BKR_STAGE_ABI,
                     {dir / "major.so", text(major + 1, minor), text(major, minor)}));
  EXPECT_TRUE(failed(registry.load("LEAST"), BKR_ABI_MISMATCH, BKR_STAGE_ABI,
                     {dir / "least.so", text(major, minor + 1), text(major, minor)}));
  EXPECT_TRUE(failed(registry.load_path(dir / "major.so"), BKR_ABI_MISMATCH, BKR_STAGE_ABI, {}));
  EXPECT_TRUE(code_that_ran_in(dir).empty());
  EXPECT_TRUE(mapped_in(dir).empty());
  EXPECT_TRUE(ok(registry.open("MINOR").answer));
}

TEST(Loading, L6_IncompleteBackendIsRefusedByWhatIsMissing) {
  const TempDir dir;
  const std::string file = dir.drop(built("good"), "good.so");
  const Registry registry(dir);
  const std::pair<const char *, std::string> cases[] = {
      {"null", "NULL with BKR_OK"},
      {"no api", "api is NULL"},
      {"short table", "8 bytes (struct_size) where " + std::to_string(sizeof(bkr_backend_api))},
      {"no name", "without the function name"},
      {"no get_interface", "without the function get_interface"},
      {"no destroy", "without the function destroy"},
      {"in use", "in use"},
  };
  for (const auto &[how, words] : cases) {
    EXPECT_TRUE(failed(registry.open("GOOD", {{"create", how}}).answer, BKR_CREATE_FAILED, BKR_STAGE_CREATE,
                       {"GOOD", file, words}))
        << how;
  }
  EXPECT_TRUE(ok(registry.open("GOOD").answer));
}

TEST(Loading, L6_RefusalKeepsThePluginsOwnText) {
  const TempDir dir;
  const std::string file = dir.drop(built("good"), "good.so");
  const Registry registry(dir);
  EXPECT_TRUE(failed(registry.open("GOOD", {{"create", "refuse"}}).answer, BKR_CREATE_FAILED, BKR_STAGE_CREATE,
                     {"GOOD", file, "BKR_UNSUPPORTED", "the moon is in the wrong phase"}));
  EXPECT_TRUE(failed(registry.open("GOOD", {{"create", "refuse without a text"}}).answer, BKR_CREATE_FAILED,
                     BKR_STAGE_CREATE, {"GOOD", file}));
  EXPECT_TRUE(failed(registry.open("GOOD", {{"create", "unknown status"}}).answer, BKR_CREATE_FAILED, BKR_STAGE_CREATE,
                     {"GOOD", file, "4711"}));
}

TEST(Loading, L6_TextWithoutAnEndIsCut) {
  const TempDir dir;
  dir.drop(built("good"), "good.so");
  const Registry registry(dir);
  const Answer answer = registry.open("GOOD", {{"create", "text without an end"}}).answer;
  EXPECT_TRUE(failed(answer, BKR_CREATE_FAILED, BKR_STAGE_CREATE, {"GOOD", "xxxxxxxx"}));
  const std::string text = answer.text.substr(answer.text.find("xxxx"));
  EXPECT_EQ(text, std::string(text.size() - 1, 'x') + ".");
}

TEST(Loading, L7_ExceptionsEndAtTheBoundary) {
  const TempDir dir;
  const std::string file = dir.drop(built("twin_a"), "twin.so");
  const Registry registry(dir);

  EXPECT_TRUE(failed(registry.open("TWIN_A", {{"throw", "create"}}).answer, BKR_PLUGIN_EXCEPTION, BKR_STAGE_CREATE,
                     {"TWIN_A", file, "create is out of order"}));
  EXPECT_TRUE(failed(registry.open("TWIN_A", {{"throw", "a number"}}).answer, BKR_PLUGIN_EXCEPTION, BKR_STAGE_CREATE,
                     {"TWIN_A", file, "an exception"}));

  Made made = registry.open("TWIN_A", {{"throw", "destroy"}});
  ASSERT_TRUE(ok(made.answer));
  made.backend.destroy();
  EXPECT_EQ(registry.logged({"TWIN_A", file, "destroy is out of order"}), 1);

  made = registry.open("TWIN_A", {{"throw", "name"}});
  EXPECT_EQ(bkr_backend_name(made.backend.get()), nullptr);
  EXPECT_EQ(bkr_backend_name(made.backend.get()), nullptr);
  EXPECT_EQ(registry.logged({"TWIN_A", file, "name is out of order"}), 1);
  made = registry.open("TWIN_A", {{"throw", "validate"}});
  EXPECT_TRUE(failed(say([&](bkr_error *error) {
                       return bkr_backend_validate(made.backend.get(), nullptr, 0, nullptr, nullptr, error);
                     }),
                     BKR_PLUGIN_EXCEPTION, BKR_STAGE_NONE, {"TWIN_A", "validate is out of order"}));
  made = registry.open("TWIN_A", {{"throw", "init"}});
  EXPECT_TRUE(failed(say([&](bkr_error *error) { return bkr_backend_init(made.backend.get(), nullptr, error); }),
                     BKR_PLUGIN_EXCEPTION, BKR_STAGE_NONE, {"TWIN_A", "init is out of order"}));
  made = registry.open("TWIN_A", {{"throw", "get_interface"}});
  const void *table = nullptr;
  EXPECT_TRUE(failed(say([&](bkr_error *error) {
                       return bkr_backend_get_interface(made.backend.get(), LOADING_PROBE, &table, error);
                     }),
                     BKR_PLUGIN_EXCEPTION, BKR_STAGE_NONE, {"TWIN_A", "get_interface is out of order"}));
}

TEST(Loading, L7_ConstructorThatThrows) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer's own dlopen() lets no exception through: it ends the process";
#endif
  const TempDir dir;
  const std::string file = dir.drop(built("throwing"), "throwing.so");
  dir.drop(built("good"), "good.so");
  EXPECT_TRUE(in_child([&] {
                ::alarm(30);
                const Registry registry(dir);
                for (int attempt = 0; attempt < 2; ++attempt) {  // not half constructed the second time
                  const Answer answer = registry.open("THROWING").answer;
                  EXPECT_TRUE(answer.status == BKR_PLUGIN_EXCEPTION || answer.status == BKR_LOAD_FAILED)
                      << answer.status;
                  EXPECT_EQ(answer.stage, BKR_STAGE_LOAD);
                  EXPECT_TRUE(has(answer.text, {file, "the constructor is out of order"}));
                }
                // The system's loader is left locked by this thread. Another one may be refused, but must not hang.
                std::thread([&] { registry.load("GOOD"); }).join();
              }).ended_well());
}

TEST(Loading, L8_OneBadPluginLeavesTheOthersAlone) {
  const TempDir dir;
  dir.drop(built("good").named("FIRST"), "a.so");
  dir.drop(built("undefined").named("BAD"), "b.so");
  dir.drop(built("good").named("THIRD"), "c.so");
  const Registry registry(dir);
  EXPECT_TRUE(ok(registry.open("FIRST").answer));
  EXPECT_TRUE(failed(registry.load("BAD"), BKR_LOAD_FAILED, BKR_STAGE_LOAD, {}));
  EXPECT_TRUE(ok(registry.open("THIRD").answer));
  EXPECT_TRUE(ok(registry.open("FIRST").answer));
}

TEST(Loading, L9_HarmfulPluginIsNeverOpenedUnlessAskedFor) {
  const TempDir dir;
  dir.drop(built("aborting").named("ABORTS"), "a.so");
  dir.drop(built("exiting").named("EXITS"), "b.so");
  dir.drop(built("sleeping").named("SLEEPS"), "c.so");
  const std::string file = dir.drop(built("good"), "good.so");
  EXPECT_TRUE(in_child([&] {
                const Registry registry(dir);
                for (const std::string name : {"ABORTS", "EXITS", "SLEEPS", "GOOD"}) {
                  EXPECT_TRUE(ok(registry.resolve(name)));
                  EXPECT_EQ(registry.explain(name)["loaded"], false);
                }
                inspect(dir / "a.so");
                EXPECT_TRUE(ok(registry.open("GOOD").answer));
                EXPECT_EQ(mapped_in(dir), std::vector<std::string>{file});
                EXPECT_EQ(code_that_ran_in(dir), std::vector<std::string>{file});
              }).ended_well());
}

TEST(Loading, L10_OneOfManyIsOpenedAlone) {
  const TempDir dir;
  const PluginBytes good = built("good");
  for (int i = 0; i < 200; ++i) {
    const std::string name = "MANY_" + std::to_string(i);
    dir.drop(good.named(name), name + ".so");
  }
  const Registry registry(dir);
  ASSERT_EQ(registry.files().size(), 200u);

  const Made made = registry.open("MANY_137");

  ASSERT_TRUE(ok(made.answer));
  EXPECT_EQ(mapped_in(dir), std::vector<std::string>{dir / "MANY_137.so"});
  EXPECT_EQ(code_that_ran_in(dir), std::vector<std::string>{dir / "MANY_137.so"});
}

TEST(Loading, L11_PluginWithoutDescriptorSaysWhatToAdd) {
  const TempDir dir;
  const std::string file = dir.drop(built("undescribed"), "bare.so");
  const Registry registry(dir);

  EXPECT_EQ(bkr_family_member_at(registry.family(), 46), nullptr);  // no member but the built-in ones
  EXPECT_TRUE(has(registry.file("bare.so").dump(), {"BKR_PLUGIN", "descriptor.h", file + "::create_backend"}));
  EXPECT_TRUE(has(inspect(file).dump(), {"BKR_PLUGIN"}));
  EXPECT_TRUE(inspect(file)["exports_create_backend"]);

  const Made by_path = registry.open_path(file + "::create_backend");
  ASSERT_TRUE(ok(by_path.answer));
  EXPECT_EQ(by_path.backend.path(), file + "::create_backend");
  EXPECT_TRUE(ok(registry.open_path(file).answer));
  EXPECT_TRUE(ok(registry.open_path(file + "::create_other").answer));

  // Without a record it is told the member's name.
  ASSERT_EQ(bkr_member_override(registry.member("CUSTOM"), file.c_str(), nullptr), BKR_OK);
  const Made by_member = registry.open("CUSTOM");
  ASSERT_TRUE(ok(by_member.answer));
  EXPECT_EQ(by_member.backend.name(), "CUSTOM");
  EXPECT_EQ(by_member.backend.family(), "attention");
  // What it returns is checked all the same.
  EXPECT_TRUE(failed(registry.open("CUSTOM", {{"create", "no destroy"}}).answer, BKR_CREATE_FAILED, BKR_STAGE_CREATE,
                     {"destroy"}));
}

TEST(Loading, L12_PluginsOfOneClassNameGetTheirOwn) {
  const TempDir dir;
  dir.drop(built("twin_a"), "a.so");
  dir.drop(built("twin_b"), "b.so");
  dir.drop(built("good").named("C_ONE").with_code("one"), "c1.so");
  dir.drop(built("good").named("C_TWO").with_code("two"), "c2.so");
  const Registry registry(dir);
  const Made a = registry.open("TWIN_A");
  const Made b = registry.open("TWIN_B");
  const Made one = registry.open("C_ONE");
  const Made two = registry.open("C_TWO");
  ASSERT_TRUE(ok(a.answer) && ok(b.answer) && ok(one.answer) && ok(two.answer));
  EXPECT_EQ(a.backend.name() + a.backend.code(), "TWIN_ATWIN_A");
  EXPECT_EQ(b.backend.name() + b.backend.code(), "TWIN_BTWIN_B");
  EXPECT_EQ(one.backend.code() + two.backend.code(), "onetwo");
}

TEST(Loading, L13_HigherVariantIsPassedOverOnALesserCpu) {
  const TempDir dir;
  const PluginBytes good = built("good");
  dir.drop(good.with_code("baseline"), "good.so");
  dir.drop(good.with_cpu_level("x86-64-v9").with_code("from the future"), "good_v9.so");
  dir.drop(good.with_cpu_level("x86-64-v4").with_code("fourth level"), "good_v4.so");
  dir.drop(good.with_cpu_level("x86-64-v2,no-such-feature").with_code("odd feature"), "good_odd.so");
  const Registry registry(dir);
  const Json levels = registry.report()["cpu_levels"];
  const bool has_v4 = std::find(levels.begin(), levels.end(), "x86-64-v4") != levels.end();

  const Made made = registry.open("GOOD");

  ASSERT_TRUE(ok(made.answer));
  EXPECT_EQ(made.backend.code(), has_v4 ? "fourth level" : "baseline");
  EXPECT_TRUE(registry.log().empty()) << registry.log()[0].text;  // variants are no ambiguity
  EXPECT_EQ(registry.file("good_v9.so")["stage"], "cpu");
  EXPECT_EQ(registry.file("good_v9.so")["status"], "BKR_WRONG_PLATFORM");
  EXPECT_EQ(registry.file("good_odd.so")["stage"], "cpu");
  int passed_over = 0;
  const Json candidates = registry.explain("GOOD")["candidates"];
  for (const Json &candidate : candidates) {
    if (candidate["verdict"] == "passed over") passed_over += candidate["reason"].is_string();
  }
  EXPECT_EQ(passed_over, 3);
  EXPECT_TRUE(failed(registry.load_path(dir / "good_v9.so"), BKR_WRONG_PLATFORM, BKR_STAGE_CPU, {"x86-64-v9"}));
}

TEST(Loading, L13_OnlyAHigherVariantIsThere) {
  const TempDir dir;
  dir.drop(built("good").with_cpu_level("x86-64-v9"), "good_v9.so");
  const Registry registry(dir);
  EXPECT_TRUE(failed(registry.load("GOOD"), BKR_WRONG_PLATFORM, BKR_STAGE_CPU,
                     {"attention.GOOD", dir / "good_v9.so", "x86-64-v9"}));
  EXPECT_TRUE(mapped_in(dir).empty());
}

}  // namespace
}  // namespace loading
