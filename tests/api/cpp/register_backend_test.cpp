// SPDX-License-Identifier: Apache-2.0
// Semantics 36: a class of the host as a backend, under a path made of its name.
#include "backend_registry/register_backend.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "backends.h"

namespace api_test {

namespace deeper {
struct Nested {
  class Attention : public Choosy {};
};
class classy : public Choosy {};  // begins like a keyword of what MSVC writes
using Alias = classy;
}  // namespace deeper

class Picky : public bkr::plugin_backend {
 public:
  explicit Picky(const bkr_create_args &args) : given(args.option_count) {}
  const char *name() const noexcept override { return given == 1 ? "PICKY_WITH_ONE" : "PICKY"; }
  uint32_t given;
};

namespace {

static_assert(std::string_view(bkr::path_of<Doubler>()) == "api_test.Doubler");
static_assert(std::string_view(bkr::path_of<deeper::Nested::Attention>()) == "api_test.deeper.Nested.Attention");
static_assert(std::string_view(bkr::path_of<deeper::Alias>()) == "api_test.deeper.classy");

class RegisterBackend : public testing::Test {
 protected:
  static bkr::registry open() {
    bkr::config settings;
    settings.flags = BKR_CONFIG_NO_ENVIRONMENT | BKR_CONFIG_NO_DEFAULT_DIRS;
    settings.log_level = BKR_LOG_OFF;
    return bkr::registry::open(settings);
  }
  bool is_provided(const char *path) const { return bkr::detail::is_provided_in_process(attention, path); }

  bkr::registry registry = open();
  bkr::family attention = registry.find_family("attention");
};

TEST_F(RegisterBackend, with_a_family_and_a_name_creates_a_member_that_is_overridden) {
  const bkr::member member = bkr::register_backend<Doubler>(attention, "NEW");
  EXPECT_EQ(member, attention.find_member("NEW"));
  EXPECT_EQ(member.path(), "api_test.Doubler");
  EXPECT_EQ(member.default_path(), "api_test.Doubler");
  EXPECT_TRUE(member.is_overridden());
  EXPECT_EQ(member.resolve().provider, BKR_PROVIDER_IN_PROCESS);
  EXPECT_EQ(member.load().create().name(), "DOUBLER");
}

TEST_F(RegisterBackend, with_a_member_overrides_it_until_that_is_cleared) {
  const bkr::member flash = attention.find_member("FLASH_ATTN");
  const std::string before(flash.path());
  EXPECT_EQ(bkr::register_backend<Doubler>(flash), flash);
  EXPECT_EQ(flash.path(), "api_test.Doubler");
  EXPECT_EQ(flash.default_path(), before);
  EXPECT_EQ(flash.load().create().name(), "DOUBLER");
  flash.clear_override();
  EXPECT_EQ(flash.path(), before);
  EXPECT_EQ(attention.load("api_test.Doubler").create().name(), "DOUBLER") << "still provided";
}

TEST_F(RegisterBackend, gives_the_class_what_it_is_made_from) {
  bkr::register_backend<Observed>(attention, "WATCHED");
  const bkr::backend backend = registry.open_backend("attention", "WATCHED", {{"threads", "3"}});
  ASSERT_NE(Observed::last, nullptr);
  EXPECT_EQ(Observed::last->family, "attention");
  EXPECT_EQ(Observed::last->path, "api_test.Observed");
  EXPECT_EQ(Observed::last->threads, "3");
}

TEST_F(RegisterBackend, takes_a_class_that_is_made_from_the_struct_in_c) {
  const bkr::member member = bkr::register_backend<Picky>(attention, "PICKY");
  EXPECT_EQ(member.load().create({{"a", "b"}}).name(), "PICKY_WITH_ONE");
}

TEST_F(RegisterBackend, makes_one_class_the_backend_of_several_members) {
  const bkr::member one = bkr::register_backend<Doubler>(attention, "ONE");
  const bkr::member two = bkr::register_backend<Doubler>(attention, "TWO");
  EXPECT_NE(one, two);
  EXPECT_EQ(one.path(), two.path());
  EXPECT_EQ(one.load().create().name(), two.load().create().name());
}

TEST_F(RegisterBackend, leaves_nothing_behind_when_the_name_is_refused) {
  for (const char *name : {"FLASH_ATTN", "1ST", "a name", ""}) {
    EXPECT_THROW(bkr::register_backend<Doubler>(attention, name), bkr::error) << name;
    EXPECT_FALSE(is_provided("api_test.Doubler")) << name;
  }
  EXPECT_EQ(attention.members().size(), 46u);
  EXPECT_FALSE(attention.find_member("FLASH_ATTN").is_overridden());
}

TEST_F(RegisterBackend, leaves_the_class_to_members_that_have_it_when_another_name_is_refused) {
  const bkr::member one = bkr::register_backend<Doubler>(attention, "ONE");
  EXPECT_THROW(bkr::register_backend<Doubler>(attention, "ONE"), bkr::error);
  EXPECT_EQ(one.load().create().name(), "DOUBLER");
}

TEST_F(RegisterBackend, carries_the_reason_of_a_refusal) {
  try {
    bkr::register_backend<Doubler>(attention, "CUSTOM");
    FAIL();
  } catch (const bkr::error &error) {
    EXPECT_EQ(error.status(), BKR_ALREADY_EXISTS);
    EXPECT_EQ(std::string(error.what()).rfind("Backend CUSTOM already exists in AttentionBackendEnum.", 0), 0u);
  }
}

TEST_F(RegisterBackend, lets_exactly_one_of_several_threads_win) {
  std::atomic<int> won = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      try {
        bkr::register_backend<Doubler>(attention, "CONTESTED");
        ++won;
      } catch (const bkr::error &error) {
        EXPECT_EQ(error.status(), BKR_ALREADY_EXISTS);
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(won, 1);
  EXPECT_EQ(registry.open_backend("attention", "CONTESTED").name(), "DOUBLER");
}

TEST_F(RegisterBackend, stops_exceptions_and_keeps_their_texts) {
  Broken::in_constructor = [] { throw bkr::error(BKR_CREATE_FAILED, "no licence"); };
  const bkr::member member = bkr::register_backend<Broken>(attention, "BROKEN");
  try {
    member.load().create();
    FAIL();
  } catch (const bkr::error &error) {
    EXPECT_EQ(error.status(), BKR_CREATE_FAILED);
    EXPECT_EQ(error.stage(), BKR_STAGE_CREATE);
    EXPECT_NE(std::string(error.what()).find("no licence"), std::string::npos);
  }
  Broken::in_constructor = nullptr;
  Broken::in_destructor = [] { throw 1; };
  { const bkr::backend backend = member.load().create(); }
  Broken::in_destructor = nullptr;
}

}  // namespace
}  // namespace api_test
