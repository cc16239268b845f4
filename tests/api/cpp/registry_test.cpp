// SPDX-License-Identifier: Apache-2.0
// registry.hpp and backend.hpp: the C face as classes.
#include "backend_registry/registry.hpp"

#include <gtest/gtest.h>

#include <type_traits>

#include "backends.h"

namespace api_test {
namespace {

bkr::config alone() {
  bkr::config settings;
  settings.flags = BKR_CONFIG_NO_ENVIRONMENT | BKR_CONFIG_NO_DEFAULT_DIRS;
  settings.log_level = BKR_LOG_OFF;
  return settings;
}

// What a call throws.
template <class Call>
bkr::error failure_of(const Call &call) {
  try {
    call();
  } catch (const bkr::error &error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return bkr::error(BKR_OK, "");
}

class Registry : public testing::Test {
 protected:
  bkr::registry registry = bkr::registry::open(alone());
  bkr::family attention = registry.find_family("attention");
};

TEST_F(Registry, knows_the_library) {
  EXPECT_EQ(bkr::version(), BKR_VERSION);
  EXPECT_EQ(bkr::abi_version(), BKR_ABI_VERSION);
  EXPECT_EQ(bkr::status_name(BKR_STALE), "BKR_STALE");
}

TEST_F(Registry, finds_families) {
  std::vector<std::string_view> names;
  for (const bkr::family &family : registry.families()) names.push_back(family.name());
  EXPECT_EQ(names, (std::vector<std::string_view>{"attention", "mamba", "mla_prefill"}));
  EXPECT_TRUE(registry.try_find_family("mamba"));
  EXPECT_FALSE(registry.try_find_family("none"));
  EXPECT_EQ(failure_of([&] { registry.find_family("none"); }).status(), BKR_UNKNOWN_FAMILY);
  EXPECT_EQ(failure_of([&] { registry.try_find_family(nullptr); }).status(), BKR_INVALID_ARGUMENT);
}

TEST_F(Registry, adds_a_family) {
  const bkr::family sampler = registry.add_family("sampler", "sampler backend");
  EXPECT_EQ(sampler, registry.find_family("sampler"));
  EXPECT_NE(sampler, attention);
  EXPECT_EQ(sampler.members().size(), 0u);
}

TEST_F(Registry, takes_names_as_any_kind_of_text) {
  const std::string name = "CPU_ATTN";
  const std::string longer = "CPU_ATTN and more";
  const bkr::member member = attention.find_member("CPU_ATTN");
  EXPECT_EQ(attention.find_member(name), member);
  EXPECT_EQ(attention.find_member(std::string_view(longer).substr(0, 8)), member);
}

TEST_F(Registry, finds_members) {
  const bkr::member member = attention.find_member("CPU_ATTN");
  EXPECT_EQ(member.name(), "CPU_ATTN");
  EXPECT_EQ(member.family(), attention);
  EXPECT_EQ(attention.try_find_member("CPU_ATTN"), member);
  EXPECT_EQ(attention.try_find_member_by_path(*member.default_path()), member);
  EXPECT_EQ(attention.find_member_by_path(*member.default_path()), member);
  EXPECT_EQ(failure_of([&] { attention.find_member_by_path("no.such.Path"); }).status(), BKR_UNKNOWN_NAME);
  EXPECT_FALSE(attention.try_find_member("cpu_attn"));
  EXPECT_FALSE(attention.try_find_member_by_path("no.such.Path"));
  const auto members = attention.members();
  EXPECT_EQ(members.size(), 46u);
  EXPECT_EQ(members.back().name(), "CUSTOM");
}

TEST_F(Registry, tells_no_path_from_an_empty_one) {
  EXPECT_EQ(attention.find_member("CUSTOM").default_path(), std::nullopt);
  EXPECT_EQ(attention.find_member("TORCH_SDPA").default_path(), std::string_view());
  EXPECT_EQ(failure_of([&] { attention.find_member("CUSTOM").path(); }).status(), BKR_NOT_REGISTERED);
}

TEST_F(Registry, throws_the_whole_text_however_long_it_is) {
  std::string last;
  for (int i = 0; i < 500; ++i) {
    last = "A_MEMBER_WITH_A_LONG_NAME_" + std::to_string(i);
    attention.register_member(last, "x.Y");
  }
  const bkr::error error = failure_of([&] { attention.find_member("NOPE"); });
  EXPECT_EQ(error.status(), BKR_UNKNOWN_NAME);
  EXPECT_EQ(std::string(error.what()).rfind("Unknown attention backend: 'NOPE'. Valid options are: ", 0), 0u);
  EXPECT_NE(std::string(error.what()).find(last), std::string::npos);
}

TEST_F(Registry, overrides_a_member_and_takes_it_back) {
  const bkr::member member = attention.find_member("FLASH_ATTN");
  const std::string_view before = member.path();
  const uint64_t epoch = registry.epoch();
  member.override_path("mine.Attention");
  EXPECT_GT(registry.epoch(), epoch);
  EXPECT_EQ(member.path(), "mine.Attention");
  EXPECT_EQ(member.module(), "mine");
  EXPECT_TRUE(member.is_overridden());
  EXPECT_EQ(member.override_source(), BKR_OVERRIDE_API);
  member.clear_override();
  EXPECT_EQ(member.path(), before);
  EXPECT_FALSE(member.is_overridden());
  EXPECT_EQ(failure_of([&] { member.override_path(""); }).status(), BKR_BAD_PATH);
}

TEST_F(Registry, registers_members) {
  const bkr::member plain = attention.register_member("PLAIN", "a.B");
  EXPECT_FALSE(plain.is_overridden());
  EXPECT_EQ(attention.register_member("NO_PATH_YET").default_path(), std::nullopt);
  const bkr::member with_override = attention.register_backend("WITH_OVERRIDE", "a.B");
  EXPECT_TRUE(with_override.is_overridden());
  EXPECT_EQ(failure_of([&] { attention.register_member("PLAIN", "a.B"); }).status(), BKR_ALREADY_EXISTS);
}

TEST_F(Registry, gives_documents_as_strings) {
  EXPECT_EQ(registry.report().front(), '{');
  EXPECT_EQ(registry.report().back(), '}');
  EXPECT_NE(attention.find_member("CUSTOM").explain().find("\"CUSTOM\""), std::string::npos);
  EXPECT_EQ(bkr::inspect(__FILE__).back(), '}');
  EXPECT_EQ(failure_of([] { bkr::inspect("/no/such/file"); }).status(), BKR_NOT_FOUND);
}

TEST_F(Registry, resolves_a_function_of_the_host_before_and_after_it_is_withdrawn) {
  const bkr_create_backend_fn create = [](const bkr_create_args *, bkr_backend **, bkr_error *error) -> bkr_status {
    return bkr::write_error(error, BKR_CREATE_FAILED, {"not today"});
  };
  EXPECT_EQ(failure_of([&] { attention.resolve("mine.X"); }).status(), BKR_NOT_FOUND);
  attention.provide("mine.X", create);
  EXPECT_EQ(attention.resolve("mine.X").provider, BKR_PROVIDER_IN_PROCESS);
  const bkr::error error = failure_of([&] { attention.load("mine.X").create(); });
  EXPECT_EQ(error.status(), BKR_CREATE_FAILED);
  EXPECT_EQ(error.stage(), BKR_STAGE_CREATE);
  EXPECT_NE(std::string(error.what()).find("not today"), std::string::npos);
  attention.withdraw("mine.X");
  EXPECT_EQ(failure_of([&] { attention.load("mine.X"); }).status(), BKR_NOT_FOUND);
}

TEST_F(Registry, says_how_far_a_file_came) {
  const bkr::error error = failure_of([&] { attention.load(__FILE__ "::create"); });
  EXPECT_EQ(error.status(), BKR_BAD_FILE);
  EXPECT_EQ(error.stage(), BKR_STAGE_FORMAT);
}

TEST(RegistryOwnership, moves_and_does_not_copy) {
  static_assert(!std::is_copy_constructible_v<bkr::registry> && !std::is_copy_assignable_v<bkr::registry>);
  static_assert(std::is_nothrow_move_constructible_v<bkr::registry> &&
                std::is_nothrow_move_assignable_v<bkr::registry>);
  static_assert(!std::is_copy_constructible_v<bkr::backend> && !std::is_copy_assignable_v<bkr::backend>);
  static_assert(std::is_nothrow_move_constructible_v<bkr::backend> && std::is_nothrow_move_assignable_v<bkr::backend>);
  static_assert(std::is_trivially_copyable_v<bkr::member> && std::is_trivially_copyable_v<bkr::family> &&
                std::is_trivially_copyable_v<bkr::factory>);

  bkr::registry first = bkr::registry::open(alone());
  bkr_registry *const handle = first.handle();
  bkr::registry second = std::move(first);
  EXPECT_EQ(second.handle(), handle);
  second = bkr::registry::open(alone());  // closes the one before
  EXPECT_NE(second.handle(), nullptr);
  bkr::registry &same = second;
  second = std::move(same);
  EXPECT_NE(second.handle(), nullptr);
}

TEST(RegistryOwnership, leaves_the_default_one_open) {
  bkr_registry *handle = nullptr;
  { handle = bkr::registry::process_default().handle(); }
  const bkr::registry again = bkr::registry::process_default();
  EXPECT_EQ(again.handle(), handle);
  EXPECT_EQ(again.find_family("attention").name(), "attention");
}

TEST(RegistryConfig, hands_on_log_directories_and_services) {
  std::vector<std::string> lines;
  static const int number = 42;
  bkr::config settings = alone();
  settings.search_dirs = {"/no/such/directory"};
  settings.log_level = BKR_LOG_INFO;
  settings.log = [](void *user, int32_t, const char *text, size_t length) {
    static_cast<std::vector<std::string> *>(user)->emplace_back(text, length);
  };
  settings.log_user = &lines;
  settings.services = {{"test.number/1", &number}};
  const bkr::registry registry = bkr::registry::open(settings);
  EXPECT_NE(registry.report().find("/no/such/directory"), std::string::npos);
  lines.clear();
  registry.find_family("attention").register_member("DYN", "x.Y");
  EXPECT_EQ(lines, std::vector<std::string>{"Registered new attention backend: DYN -> x.Y"});
}

}  // namespace
}  // namespace api_test
