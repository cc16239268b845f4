// SPDX-License-Identifier: Apache-2.0
// bkr_select() and candidates that are broken, or that ask from within: an error at once, and nothing is left behind.
#include <cstdio>
#include <new>
#include <stdexcept>

#include "choosy.h"

namespace loading {
namespace {

class SelectBroken : public testing::Test {
 protected:
  SelectBroken() {
    dir.drop(choosy("BAD"), "bad.so");
    dir.drop(choosy("GOOD"), "good.so");
  }
  // What a selection among the two says, and that GOOD was not asked.
  Answer said(const Registry &registry) {
    plugins.forget_calls();
    const Selected selected = select(registry, {{}, {"BAD", "GOOD"}});
    EXPECT_EQ(selected.choice, "");
    EXPECT_TRUE(selected.report.is_null());
    for (const std::string &call : plugins.calls()) EXPECT_FALSE(call.ends_with("GOOD")) << call;
    return selected.answer;
  }
  const TempDir dir;
  Choosy plugins;
};

TEST_F(SelectBroken, AnIncompleteTableIsAnError) {
  plugins.does("BAD", "create", [](choosy_call &call) {
    call.own_name = nullptr;
    return BKR_OK;
  });
  const Registry registry(dir);
  EXPECT_TRUE(failed(said(registry), BKR_CREATE_FAILED, BKR_STAGE_CREATE,
                     {"BAD", "without the function destroy", "defect of the plugin", "BKR_DISABLE"}));
  EXPECT_EQ(registry.logged({"without the function destroy"}), 1);
}

TEST_F(SelectBroken, AnExceptionIsAnError) {
  const Registry registry(dir);
  plugins.does("BAD", "create",
               [](choosy_call &) -> bkr_status { throw std::runtime_error("create is out of order"); });
  EXPECT_TRUE(failed(said(registry), BKR_PLUGIN_EXCEPTION, BKR_STAGE_CREATE, {"BAD", "create is out of order"}));
  plugins.does("BAD", "create", nullptr);
  plugins.does("BAD", "validate", [](choosy_call &) -> bkr_status { throw 42; });
  EXPECT_TRUE(failed(said(registry), BKR_PLUGIN_EXCEPTION, BKR_STAGE_NONE, {"attention.BAD", "validate"}));
  EXPECT_EQ(plugins.calls(), (std::vector<std::string>{"create BAD", "validate BAD", "destroy BAD"}));
}

TEST_F(SelectBroken, AConstructorThatThrowsIsAnError) {
  dir.drop(built("throwing").named("BAD"), "bad.so");
  const Registry registry(dir);
  EXPECT_TRUE(failed(said(registry), BKR_PLUGIN_EXCEPTION, BKR_STAGE_LOAD, {"BAD"}));
}

TEST_F(SelectBroken, AMissingSymbolIsAnError) {
  dir.drop(built("no_create_but_record").named("BAD"), "bad.so");
  const Registry registry(dir);
  EXPECT_TRUE(failed(said(registry), BKR_SYMBOL_MISSING, BKR_STAGE_SYMBOL, {"BAD", "no symbol create_backend"}));
}

TEST_F(SelectBroken, AValidateThatFailsIsAnErrorAlsoWhenItGaveReasons) {
  const Registry registry(dir);
  plugins.does("BAD", "validate", [](choosy_call &call) {
    call.emit(call.user, "MLA not supported");
    std::snprintf(call.error->msg, call.error->msg_cap, "the moon is in the wrong phase");
    return BKR_WRONG_STATE;
  });
  EXPECT_TRUE(failed(said(registry), BKR_WRONG_STATE, BKR_STAGE_NONE,
                     {"attention.BAD", "validate", "the moon is in the wrong phase", "defect of the plugin"}));
  EXPECT_EQ(registry.logged({"the moon is in the wrong phase"}), 1);
}

TEST_F(SelectBroken, AValidateCannotSpeakForTheSelection) {
  const Registry registry(dir);
  for (const bkr_status status : {BKR_NO_VALID_BACKEND, BKR_CHOICE_REFUSED, BKR_BUFFER_TOO_SMALL, 4711}) {
    plugins.does("BAD", "validate", [status](choosy_call &) { return status; });
    EXPECT_TRUE(failed(said(registry), BKR_UNSUPPORTED, BKR_STAGE_NONE, {"attention.BAD", "validate"}));
  }
}

TEST_F(SelectBroken, AReasonWithoutTextIsStillAReason) {
  const Registry registry(dir);
  plugins.does("BAD", "validate", [](choosy_call &call) {
    call.emit(call.user, nullptr);
    return BKR_OK;
  });
  const Selected selected = select(registry, {{}, {"BAD", "GOOD"}});
  EXPECT_EQ(selected.choice, "GOOD");
  EXPECT_EQ(selected.reasons("BAD"), std::vector<std::string>{"a reason without a text"});
}

TEST_F(SelectBroken, AnErrorIsNotRemembered) {
  const Registry registry(dir);
  plugins.does("BAD", "validate", [](choosy_call &) { return BKR_WRONG_STATE; });
  EXPECT_EQ(said(registry).status, BKR_WRONG_STATE);
  plugins.does("BAD", "validate", nullptr);
  EXPECT_EQ(select(registry, {{}, {"BAD", "GOOD"}}).choice, "BAD");
}

TEST_F(SelectBroken, ACreateMayChooseAmongOthersButNotItself) {
  const Registry registry(dir);
  std::string inner;
  Answer of_itself;
  plugins.does("BAD", "create", [&](choosy_call &) {
    inner = select(registry, {{}, {"GOOD"}}).choice;
    of_itself = select(registry, {{}, {"BAD"}}).answer;
    return BKR_OK;
  });
  EXPECT_EQ(select(registry, {{{"x", "1"}}, {"BAD"}}).choice, "BAD");
  EXPECT_EQ(inner, "GOOD");
  EXPECT_TRUE(failed(of_itself, BKR_REENTRANT, BKR_STAGE_NONE, {"attention.BAD"}));
}

TEST_F(SelectBroken, AValidateMayChooseAmongOthersButNotItself) {
  const Registry registry(dir);
  std::string inner;
  Answer of_itself;
  plugins.does("BAD", "validate", [&](choosy_call &) {
    inner = select(registry, {{}, {"GOOD"}}).choice;
    of_itself = select(registry).answer;  // BAD is the first of all
    return BKR_OK;
  });
  EXPECT_EQ(select(registry, {{{"x", "1"}}, {"BAD"}}).choice, "BAD");
  EXPECT_EQ(inner, "GOOD");
  EXPECT_TRUE(failed(of_itself, BKR_REENTRANT, BKR_STAGE_NONE, {"attention.BAD", "inside"}));
  // Nothing is left behind on this thread.
  plugins.does("BAD", "validate", nullptr);
  EXPECT_EQ(select(registry).choice, "BAD");
}

TEST_F(SelectBroken, APluginsOwnCreateWhileItIsAskedIsTheHostsRightNotAFault) {
  const Registry registry(dir);
  Made inner;
  plugins.does("BAD", "validate", [&](choosy_call &) {
    inner = registry.open("BAD");
    return BKR_OK;
  });
  EXPECT_EQ(select(registry, {{}, {"BAD"}}).choice, "BAD");
  EXPECT_TRUE(ok(inner.answer));
}

}  // namespace
}  // namespace loading
