// SPDX-License-Identifier: Apache-2.0
// What bkr_select() remembers and for how long; and several threads that select at once.
#include <atomic>
#include <thread>

#include "choosy.h"

namespace loading {
namespace {

using Calls = std::vector<std::string>;

TEST(Loading, C5_TheSameQuestionAgainRunsNoForeignCode) {
  const TempDir dir;
  Choosy plugins;
  dir.drop(choosy("A"), "a.so");
  dir.drop(choosy("B"), "b.so");
  const Registry registry(dir);
  plugins.objects("A", {"MLA not supported"});
  const Asked asked{{{"use_mla", "1"}}, {"FLASH_ATTN", "A", "B"}};
  const Selected first = select(registry, asked);
  EXPECT_EQ(first.choice, "B");
  plugins.forget_calls();
  const uint64_t epoch = bkr_registry_epoch(registry.get());
  const Selected second = select(registry, asked);
  EXPECT_EQ(second.choice, "B");
  EXPECT_EQ(second.report, first.report);
  EXPECT_EQ(plugins.calls(), Calls{});
  EXPECT_EQ(bkr_registry_epoch(registry.get()), epoch);

  // So does one that nobody serves.
  const Asked nobody{{{"use_mla", "1"}}, {"A"}};
  EXPECT_EQ(select(registry, nobody).answer.status, BKR_NO_VALID_BACKEND);
  plugins.forget_calls();
  EXPECT_EQ(select(registry, nobody).answer.text, select(registry, nobody).answer.text);
  EXPECT_EQ(plugins.calls(), Calls{});
}

TEST(Loading, C5_AnotherQuestionIsAskedAnew) {
  const TempDir dir;
  Choosy plugins;
  dir.drop(choosy("A"), "a.so");
  const Registry registry(dir);
  const Asked questions[] = {{{}, {}, nullptr},
                             {{}, {"A"}, nullptr},
                             {{}, {}, "A"},
                             {{{"a", "b"}}, {}, "A"},
                             {{{"ab", ""}}, {}, "A"},
                             {{{"a", "b"}, {"c", "d"}}, {}, "A"},
                             {{{"c", "d"}, {"a", "b"}}, {}, "A"}};
  for (const Asked &asked : questions) {
    plugins.forget_calls();
    EXPECT_EQ(select(registry, asked).choice, "A");
    EXPECT_EQ(plugins.calls().size(), 3u);
  }
}

TEST(Loading, C5_AnOverrideThatIsMadeLaterIsSeen) {
  const TempDir dir;
  Choosy plugins;
  dir.drop(choosy("A"), "a.so");
  dir.drop(choosy("B"), "b.so");
  const Registry registry(dir);
  plugins.objects("B", {"sparse not supported"});
  const Asked asked{{}, {"A", "B"}};
  EXPECT_EQ(select(registry, asked).choice, "A");
  ASSERT_EQ(bkr_member_override(registry.member("A"), path_of("B").c_str(), nullptr), BKR_OK);
  EXPECT_EQ(select(registry, asked).answer.status, BKR_NO_VALID_BACKEND);
  bkr_member_clear_override(registry.member("A"));
  EXPECT_EQ(select(registry, asked).choice, "A");
}

TEST(Loading, C5_WhatIsDroppedRegisteredOrProvidedLaterIsSeen) {
  const TempDir dir;
  const Choosy plugins;
  const Registry registry(dir);
  EXPECT_EQ(select(registry).answer.status, BKR_NO_VALID_BACKEND);
  dir.drop(choosy("A"), "a.so");
  EXPECT_EQ(select(registry).answer.status, BKR_NO_VALID_BACKEND);  // nobody has looked
  ASSERT_TRUE(ok(registry.rescan()));
  EXPECT_EQ(select(registry).choice, "A");
  ASSERT_EQ(bkr_register_backend(registry.family(), "NEW", path_of("A").c_str(), nullptr, nullptr), BKR_OK);
  EXPECT_EQ(select(registry).verdicts(), "A chosen, NEW not tried");
  const auto refuse = [](const bkr_create_args *, bkr_backend **, bkr_error *) -> bkr_status {
    return BKR_CREATE_FAILED;
  };
  ASSERT_EQ(bkr_provide(registry.family(), path_of("A").c_str(), refuse, nullptr, nullptr), BKR_OK);
  EXPECT_EQ(select(registry).verdicts(), "A turned down, NEW turned down");
}

TEST(Loading, C5_AnAnswerThatMayBeMendedUnseenIsNotKept) {
  const TempDir dir;
  const TempDir elsewhere;
  const Choosy plugins;
  const Registry registry(dir);
  const std::string file = elsewhere / "late.so";
  ASSERT_EQ(bkr_member_override(registry.member("CUSTOM"), file.c_str(), nullptr), BKR_OK);
  EXPECT_EQ(select(registry, {{}, {}, "CUSTOM"}).answer.status, BKR_CHOICE_REFUSED);
  elsewhere.drop(choosy("A"), "late.so");
  EXPECT_EQ(select(registry, {{}, {}, "CUSTOM"}).choice, "CUSTOM");
}

TEST(Loading, C5_AFileThatWasReplacedIsAskedAgainAfterARescan) {
  const TempDir dir;
  const Choosy plugins;
  dir.drop(choosy("A", 5), "a.so");
  dir.drop(choosy("B"), "b.so");
  const Registry registry(dir);
  dir.drop(choosy("A", 5), "a.so");
  for (int i = 0; i < 2; ++i) {
    const Selected selected = select(registry);
    EXPECT_EQ(selected.verdicts(), "A turned down, B chosen");
    EXPECT_TRUE(has(selected.reasons("A").at(0), {"BKR_STALE: ", "Rescan"}));
  }
  EXPECT_EQ(registry.logged({"attention.A was turned down, and B is used instead", "BKR_STALE"}), 1);
  ASSERT_TRUE(ok(registry.rescan()));
  EXPECT_EQ(select(registry).choice, "A");
}

TEST(Loading, C6_ManyThreadsSelectAtOnce) {
  const TempDir dir;
  Choosy plugins;
  dir.drop(choosy("A"), "a.so");
  dir.drop(choosy("B"), "b.so");
  dir.drop(built("needs_missing").named("NEEDS"), "needs.so");
  const Registry registry(dir);
  plugins.objects("A", {"MLA not supported"});
  std::atomic<bool> go{false};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      while (!go) std::this_thread::yield();
      for (int i = 0; i < 50; ++i) {
        const Selected chosen = select(registry, {{{"i", std::to_string(i / 2)}}, {"NEEDS", "A", "B"}});
        EXPECT_EQ(chosen.choice, "B") << chosen.answer.text;
        EXPECT_EQ(chosen.verdicts(), "NEEDS turned down, A turned down, B chosen");
        EXPECT_EQ(select(registry, {{}, {}, thread % 2 ? "A" : "B"}).answer.status,
                  thread % 2 ? BKR_CHOICE_REFUSED : BKR_OK);
      }
    });
  }
  go = true;
  for (std::thread &thread : threads) thread.join();
}

TEST(Loading, C6_ThreadsSelectWhileOthersOverrideAndRescan) {
  const TempDir dir;
  Choosy plugins;
  dir.drop(choosy("A"), "a.so");
  dir.drop(choosy("B"), "b.so");
  const Registry registry(dir);
  plugins.objects("B", {"sparse not supported"});
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&] {
      while (!stop) {
        const Selected selected = select(registry, {{}, {"A"}});
        EXPECT_TRUE(selected.choice == "A" || selected.answer.status == BKR_NO_VALID_BACKEND) << selected.answer.text;
      }
    });
  }
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(bkr_member_override(registry.member("A"), path_of("B").c_str(), nullptr), BKR_OK);
    EXPECT_EQ(select(registry, {{}, {"A"}}).choice, "");  // never an answer from before
    bkr_member_clear_override(registry.member("A"));
    EXPECT_EQ(select(registry, {{}, {"A"}}).choice, "A");
    if (i % 10 == 0) {
      EXPECT_TRUE(ok(registry.rescan()));
    }
  }
  stop = true;
  for (std::thread &thread : threads) thread.join();
}

}  // namespace
}  // namespace loading
