// SPDX-License-Identifier: Apache-2.0
// Where this registry does otherwise than the Python ones, on purpose: a test a row, by the row's number.
#include <atomic>
#include <thread>

#include "semantics/registry_fixture.h"

namespace {

using Semantics = RegistryFixture;

// A backend inside the host, whole enough to be created.
struct TinyBackend {
  bkr_backend head;
};

bkr_status BKR_CALL create_tiny(const bkr_create_args *, bkr_backend **backend, bkr_error *) {
  static const bkr_backend_api api = {
      sizeof(bkr_backend_api),
      0,
      [](const bkr_backend *) -> const char * { return "TINY"; },
      nullptr,
      nullptr,
      [](bkr_backend *, const char *, const void **, bkr_error *) -> bkr_status { return BKR_UNSUPPORTED; },
      [](bkr_backend *made) { delete reinterpret_cast<TinyBackend *>(made); }};
  *backend = &(new TinyBackend{{&api, nullptr}})->head;
  return BKR_OK;
}

TEST_F(Semantics, Row25_AnEmptyOverrideIsRefused) {
  bkr_member *member = find(attention, "CPU_ATTN");
  EXPECT_EQ(bkr_member_override(member, "", &error), BKR_BAD_PATH);
  EXPECT_EQ(bkr_member_is_overridden(member), 0);
  EXPECT_EQ(path(member), bkr_member_default_path(member));
}

TEST_F(Semantics, Row26_NamesThatBreakAPythonEnumAreReserved) {
  for (const char *name : {"name", "value", "_value_"}) {
    EXPECT_EQ(add(attention, name, "x.Y"), BKR_INVALID_NAME) << name;
    EXPECT_EQ(first_line(), "Invalid or reserved backend name: " + std::string(name));
  }
}

TEST_F(Semantics, Row27_NamesAreAsciiAndAtMost63Bytes) {
  EXPECT_EQ(add(attention, "Attention_\xC3\xA9", "x.Y"), BKR_INVALID_NAME);
  EXPECT_EQ(add(attention, std::string(63, 'A').c_str(), "x.Y"), BKR_OK) << text();
  EXPECT_EQ(add(attention, std::string(64, 'A').c_str(), "x.Y"), BKR_INVALID_NAME);
}

TEST_F(Semantics, Row28_AMemberKnowsItsFamily) {
  EXPECT_EQ(bkr_member_family(find(mamba, "CUSTOM")), mamba);
  ASSERT_EQ(bkr_member_override(find(mamba, "CUSTOM"), "a.B", &error), BKR_OK);
  EXPECT_EQ(bkr_member_is_overridden(find(attention, "CUSTOM")), 0);
}

TEST_F(Semantics, Row29_MlaPrefillTakesNewNamesToo) {
  bkr_member *member = nullptr;
  ASSERT_EQ(bkr_register_backend(mla_prefill, "MINE", "x.Y", &member, &error), BKR_OK) << text();
  EXPECT_EQ(find(mla_prefill, "MINE"), member);
  EXPECT_EQ(add(mla_prefill, "MINE", "x.Z"), BKR_ALREADY_EXISTS);
  EXPECT_EQ(first_line(), "Backend MINE already exists in MLAPrefillBackendEnum.");
}

TEST_F(Semantics, Row30_OfManyThreadsExactlyOneRegistersAName) {
  constexpr int kThreads = 8;
  constexpr int kNames = 200;
  std::atomic<int> won{0};
  std::atomic<int> lost{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int n = 0; n < kNames; ++n) {
        const std::string name = "DYN" + std::to_string(n);
        const bkr_status status = bkr_member_register(attention, name.c_str(), ("x." + name).c_str(), nullptr, nullptr);
        (status == BKR_OK ? won : lost) += status == BKR_OK || status == BKR_ALREADY_EXISTS;
        bkr_member *member = nullptr;
        EXPECT_EQ(bkr_member_find(attention, name.c_str(), &member, nullptr), BKR_OK);
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(won, kNames);
  EXPECT_EQ(lost, kNames * (kThreads - 1));
  EXPECT_EQ(names(attention).size(), 46u + kNames);
}

TEST_F(Semantics, Row31_AFailedRegisterLeavesNothing) {
  const uint64_t epoch = bkr_registry_epoch(registry);
  EXPECT_EQ(add(attention, "DYN", (std::string(5000, 'a') + ".B").c_str()), BKR_BAD_PATH);
  EXPECT_EQ(bkr_register_backend(attention, "DYN", "", nullptr, &error), BKR_BAD_PATH);
  bkr_member *member = nullptr;
  EXPECT_EQ(bkr_member_find(attention, "DYN", &member, &error), BKR_UNKNOWN_NAME);
  EXPECT_EQ(names(attention).size(), 46u);
  EXPECT_EQ(bkr_registry_epoch(registry), epoch);
}

TEST_F(Semantics, Row32_TheEpochTellsOfEachChange) {
  uint64_t epoch = bkr_registry_epoch(registry);
  const auto grew = [&] {
    const uint64_t before = epoch;
    epoch = bkr_registry_epoch(registry);
    return epoch > before;
  };
  bkr_member *member = find(attention, "CPU_ATTN");
  EXPECT_FALSE(grew()) << "a look-up changes nothing";
  ASSERT_EQ(bkr_member_override(member, "a.B", &error), BKR_OK);
  EXPECT_TRUE(grew()) << "override";
  bkr_member_clear_override(member);
  EXPECT_TRUE(grew()) << "clear";
  ASSERT_EQ(add(attention, "DYN", "x.Y"), BKR_OK);
  EXPECT_TRUE(grew()) << "register";
  ASSERT_EQ(bkr_provide(attention, "x.Y", create_tiny, nullptr, &error), BKR_OK);
  EXPECT_TRUE(grew()) << "provide";
  ASSERT_EQ(bkr_family_add(registry, "sampler", "sampler backend", nullptr, &error), BKR_OK);
  EXPECT_TRUE(grew()) << "family_add";
  ASSERT_EQ(bkr_registry_rescan(registry, &error), BKR_OK);
  EXPECT_TRUE(grew()) << "rescan";
}

TEST_F(Semantics, Row33_IdentityIsFamilyAndName) {
  // Written out and read in by name comes with bkr_registry_export(); until then the call says so.
  size_t need = 0;
  EXPECT_EQ(bkr_registry_export(registry, nullptr, 0, &need, &error), BKR_UNSUPPORTED);
  bkr_registry *other = nullptr;
  bkr_config config{};
  config.struct_size = sizeof config;
  config.flags = BKR_CONFIG_NO_ENVIRONMENT | BKR_CONFIG_NO_DEFAULT_DIRS;
  ASSERT_EQ(bkr_registry_open(&config, &other, &error), BKR_OK);
  bkr_family *in_other = nullptr;
  bkr_member *member = nullptr;
  ASSERT_EQ(bkr_family_find(other, "attention", &in_other, &error), BKR_OK);
  ASSERT_EQ(bkr_member_find(in_other, "CPU_ATTN", &member, &error), BKR_OK);
  EXPECT_NE(member, find(attention, "CPU_ATTN"));
  EXPECT_STREQ(bkr_member_name(member), bkr_member_name(find(attention, "CPU_ATTN")));
  bkr_registry_close(other);
}

TEST_F(Semantics, Row34_WhatCreateReturnsIsChecked) {
  ASSERT_EQ(
      bkr_provide(
          attention, "x.Nothing",
          [](const bkr_create_args *, bkr_backend **, bkr_error *) -> bkr_status { return BKR_OK; }, nullptr, &error),
      BKR_OK);
  bkr_factory *factory = nullptr;
  bkr_backend *backend = nullptr;
  ASSERT_EQ(bkr_path_load(attention, "x.Nothing", &factory, &error), BKR_OK) << text();
  EXPECT_EQ(bkr_factory_create(factory, nullptr, 0, &backend, &error), BKR_CREATE_FAILED);
  EXPECT_EQ(backend, nullptr);
  EXPECT_EQ(error.stage, BKR_STAGE_CREATE);
  EXPECT_NE(text().find("NULL"), std::string::npos) << text();
}

TEST_F(Semantics, Row35_AMemberWithoutAPathDoesNotTakeOverTheEmptyOne) {
  for (const char *none : {static_cast<const char *>(nullptr), ""}) {
    bkr_member *member = nullptr;
    const std::string name = none ? "EMPTY_PATH" : "NULL_PATH";
    ASSERT_EQ(add(attention, name.c_str(), none, &member), BKR_OK) << text();
    EXPECT_EQ(bkr_member_default_path(member), nullptr);
    const char *given = nullptr;
    EXPECT_EQ(bkr_member_path(member, &given, &error), BKR_NOT_REGISTERED);
    EXPECT_EQ(first_line(), "Backend " + name + " must be registered before use.");
    EXPECT_EQ(found_by_path(attention, ""), "TORCH_SDPA");
    ASSERT_EQ(bkr_member_override(member, "a.B", &error), BKR_OK);
    EXPECT_EQ(path(member), "a.B");
  }
}

TEST_F(Semantics, Row36_ProvidePlusOverrideMakesABackendInTheHost) {
  ASSERT_EQ(bkr_provide(attention, "my.host.Tiny", create_tiny, nullptr, &error), BKR_OK) << text();
  ASSERT_EQ(bkr_member_override(find(attention, "CUSTOM"), "my.host.Tiny", &error), BKR_OK) << text();
  bkr_backend *backend = nullptr;
  ASSERT_EQ(bkr_backend_open(registry, "attention", "CUSTOM", nullptr, 0, &backend, &error), BKR_OK) << text();
  EXPECT_STREQ(bkr_backend_name(backend), "TINY");
  bkr_backend_destroy(backend);
}

TEST_F(Semantics, AddedFamiliesSpeakWithTheirOwnTitle) {
  bkr_family *sampler = nullptr;
  bkr_member *member = nullptr;
  ASSERT_EQ(bkr_family_add(registry, "sampler", "sampler backend", &sampler, &error), BKR_OK) << text();
  EXPECT_EQ(family("sampler"), sampler);
  ASSERT_EQ(add(sampler, "GREEDY", nullptr, &member), BKR_OK);
  EXPECT_EQ(bkr_member_find(sampler, "X", &member, &error), BKR_UNKNOWN_NAME);
  EXPECT_EQ(first_line(), "Unknown sampler backend: 'X'. Valid options are: GREEDY");
  const char *given = nullptr;
  EXPECT_EQ(bkr_member_path(find(sampler, "GREEDY"), &given, &error), BKR_NOT_REGISTERED);
  EXPECT_EQ(first_line(), "sampler backend GREEDY must be registered before use.");
  EXPECT_EQ(add(sampler, "GREEDY", "x.Y"), BKR_ALREADY_EXISTS);
  EXPECT_EQ(first_line(), "Backend GREEDY already exists in sampler.");
  EXPECT_EQ(bkr_family_add(registry, "sampler", "other", nullptr, &error), BKR_ALREADY_EXISTS);
  for (const char *bad : {"", "a-b", "A23456789012345678901234567890123"}) {
    EXPECT_EQ(bkr_family_add(registry, bad, "title", nullptr, &error), BKR_INVALID_NAME) << bad;
  }
}

}  // namespace
