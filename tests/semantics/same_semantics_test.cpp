// SPDX-License-Identifier: Apache-2.0
// What engines know from their Python registries and find here to the word: a test a row, by the row's number.
#include <cstring>
#include <map>

#include "semantics/registry_fixture.h"

namespace {

using Semantics = RegistryFixture;

TEST_F(Semantics, AllMembersInOrderWithTheirDefaultPaths) {
  // FNV-1a over "family,name,path" lines, made from the list that the names come from.
  uint64_t digest = 0xcbf29ce484222325u;
  std::map<std::string, int> counts;
  for (uint32_t f = 0; bkr_family *in = bkr_family_at(registry, f); ++f) {
    for (uint32_t m = 0; bkr_member *member = bkr_family_member_at(in, m); ++m) {
      const char *default_path = bkr_member_default_path(member);
      const std::string line = std::string(bkr_family_name(in)) + "," + bkr_member_name(member) + "," +
                               (default_path ? default_path : "<none>") + "\n";
      for (const char c : line) digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
      ++counts[bkr_family_name(in)];
    }
  }
  EXPECT_EQ(counts, (std::map<std::string, int>{{"attention", 46}, {"mamba", 6}, {"mla_prefill", 8}}));
  EXPECT_EQ(digest, 0x61ae79b41d7af4e2u);
}

TEST_F(Semantics, Row01_CustomHasNoDefaultAndTorchSdpaAnEmptyOne) {
  for (bkr_family *in : {attention, mamba, mla_prefill}) {
    EXPECT_EQ(bkr_member_default_path(find(in, "CUSTOM")), nullptr);
  }
  EXPECT_STREQ(bkr_member_default_path(find(attention, "TORCH_SDPA")), "");
  EXPECT_NE(find(attention, "TORCH_SDPA"), find(attention, "CUSTOM"));
}

TEST_F(Semantics, Row02_FindByPath) {
  EXPECT_EQ(found_by_path(attention, ""), "TORCH_SDPA");
  EXPECT_EQ(found_by_path(attention, "vllm.v1.attention.backends.cpu_attn.CPUAttentionBackend"), "CPU_ATTN");
  EXPECT_EQ(found_by_path(attention, "no.such.Path"), "unknown");
  EXPECT_EQ(error.code, BKR_UNKNOWN_NAME);
}

TEST_F(Semantics, Row03_UnknownAttentionNames) {
  for (const char *name : {"cpu_attn", " CPU_ATTN", "", "NOPE"}) {
    bkr_member *member = nullptr;
    EXPECT_EQ(bkr_member_find(attention, name, &member, &error), BKR_UNKNOWN_NAME);
    EXPECT_EQ(member, nullptr);
    EXPECT_EQ(first_line(),
              "Unknown attention backend: '" + std::string(name) + "'. Valid options are: " + valid(attention));
  }
  bkr_member *member = nullptr;
  ASSERT_EQ(bkr_member_find(attention, "cpu_attn", &member, &error), BKR_UNKNOWN_NAME);
  EXPECT_NE(text().find("Did you mean 'CPU_ATTN'?"), std::string::npos) << text();
}

TEST_F(Semantics, Row04_UnknownMambaNameUsesTheSameWord) {
  bkr_member *member = nullptr;
  EXPECT_EQ(bkr_member_find(mamba, "NOPE", &member, &error), BKR_UNKNOWN_NAME);
  EXPECT_EQ(
      first_line(),
      "Unknown attention backend: 'NOPE'. Valid options are: MAMBA1, MAMBA2, SHORT_CONV, LINEAR, GDN_ATTN, CUSTOM");
}

TEST_F(Semantics, Row05_UnknownMlaPrefillName) {
  bkr_member *member = nullptr;
  EXPECT_EQ(bkr_member_find(mla_prefill, "NOPE", &member, &error), BKR_UNKNOWN_NAME);
  EXPECT_EQ(first_line(),
            "Unknown MLA prefill backend: 'NOPE'. Valid options are: FLASH_ATTN, FLASHINFER, TRTLLM_RAGGED, "
            "TOKENSPEED_MLA, ROCM_AITER_FA, CPU, ZEN_CPU, CUSTOM");
}

// Path, module, load, resolve: each refuses a member that has no path, with the same first line.
void expect_not_registered(bkr_member *member, bkr_error &error, const std::string &line) {
  const auto check = [&](bkr_status status) {
    EXPECT_EQ(status, BKR_NOT_REGISTERED);
    const std::string text = error.msg;
    EXPECT_EQ(text.substr(0, text.find('\n')), line);
    EXPECT_NE(text.find("bkr_member_override"), std::string::npos) << "says how: " << text;
  };
  const char *given = nullptr;
  bkr_factory *factory = nullptr;
  bkr_target target{};
  target.struct_size = sizeof target;
  check(bkr_member_path(member, &given, &error));
  check(bkr_member_module(member, &given, &error));
  check(bkr_member_load(member, &factory, &error));
  check(bkr_member_resolve(member, &target, &error));
  EXPECT_EQ(given, nullptr);
  EXPECT_EQ(factory, nullptr);
}

TEST_F(Semantics, Row06_MembersWithoutAPathMustBeRegistered) {
  expect_not_registered(find(attention, "CUSTOM"), error, "Backend CUSTOM must be registered before use.");
  expect_not_registered(find(mamba, "CUSTOM"), error, "Backend CUSTOM must be registered before use.");
  expect_not_registered(find(attention, "TORCH_SDPA"), error, "Backend TORCH_SDPA must be registered before use.");
}

TEST_F(Semantics, Row07_TheSameInMlaPrefill) {
  expect_not_registered(find(mla_prefill, "CUSTOM"), error,
                        "MLA prefill backend CUSTOM must be registered before use.");
}

TEST_F(Semantics, Row08_ModuleIsWhatPrecedesTheLastDot) {
  bkr_member *member = find(attention, "CPU_ATTN");
  const char *module = nullptr;
  ASSERT_EQ(bkr_member_module(member, &module, &error), BKR_OK) << text();
  EXPECT_STREQ(module, "vllm.v1.attention.backends.cpu_attn");
  const char *again = nullptr;
  ASSERT_EQ(bkr_member_module(member, &again, &error), BKR_OK);
  EXPECT_EQ(again, module) << "one string, the registry's";
  ASSERT_EQ(bkr_member_override(member, "nodot", &error), BKR_OK) << text();
  ASSERT_EQ(bkr_member_module(member, &module, &error), BKR_OK) << text();
  EXPECT_STREQ(module, "nodot");
}

TEST_F(Semantics, Row09_OverrideChangesThePathAndNothingElse) {
  bkr_member *member = find(attention, "CPU_ATTN");
  const std::string default_path = bkr_member_default_path(member);
  EXPECT_EQ(bkr_member_is_overridden(member), 0);
  ASSERT_EQ(bkr_member_override(member, "my.mod.Cls", &error), BKR_OK) << text();
  EXPECT_EQ(path(member), "my.mod.Cls");
  EXPECT_EQ(bkr_member_is_overridden(member), 1);
  EXPECT_EQ(bkr_member_override_source(member), BKR_OVERRIDE_API);
  EXPECT_EQ(bkr_member_default_path(member), default_path);
  EXPECT_EQ(found_by_path(attention, default_path.c_str()), "CPU_ATTN");
  EXPECT_EQ(found_by_path(attention, "my.mod.Cls"), "unknown");
}

TEST_F(Semantics, Row10_TheLastOverrideWins) {
  bkr_member *member = find(attention, "CPU_ATTN");
  for (const char *given : {"a.B", "c.D"}) ASSERT_EQ(bkr_member_override(member, given, &error), BKR_OK);
  EXPECT_EQ(path(member), "c.D");
}

TEST_F(Semantics, Row11_ClearOverrideAlsoTwice) {
  bkr_member *member = find(attention, "CPU_ATTN");
  ASSERT_EQ(bkr_member_override(member, "a.B", &error), BKR_OK);
  bkr_member_clear_override(member);
  bkr_member_clear_override(member);
  EXPECT_EQ(path(member), bkr_member_default_path(member));
  EXPECT_EQ(bkr_member_is_overridden(member), 0);
  EXPECT_EQ(bkr_member_override_source(member), BKR_OVERRIDE_NONE);
}

TEST_F(Semantics, Row12_OverridingTorchSdpaLeavesCustomAlone) {
  ASSERT_EQ(bkr_member_override(find(attention, "TORCH_SDPA"), "a.B", &error), BKR_OK);
  EXPECT_EQ(path(find(attention, "TORCH_SDPA")), "a.B");
  expect_not_registered(find(attention, "CUSTOM"), error, "Backend CUSTOM must be registered before use.");
}

TEST_F(Semantics, Row13_RegisterAddsAMemberAtTheEnd) {
  bkr_member *member = nullptr;
  ASSERT_EQ(add(attention, "DYN", "x.Y", &member), BKR_OK) << text();
  EXPECT_EQ(names(attention).back(), "DYN");
  EXPECT_EQ(names(attention).size(), 47u);
  EXPECT_STREQ(bkr_member_default_path(member), "x.Y");
  EXPECT_EQ(bkr_member_is_overridden(member), 0);
  EXPECT_EQ(find(attention, "DYN"), member);
  EXPECT_EQ(found_by_path(attention, "x.Y"), "DYN");
  EXPECT_EQ(logged, std::vector<std::string>{"Registered new attention backend: DYN -> x.Y"});
}

TEST_F(Semantics, Row14_RegisterAnExistingName) {
  ASSERT_EQ(add(attention, "DYN", "x.Y"), BKR_OK);
  const uint64_t epoch = bkr_registry_epoch(registry);
  const struct {
    bkr_family *in;
    const char *name;
    const char *line;
  } rows[] = {{attention, "DYN", "Backend DYN already exists in AttentionBackendEnum."},
              {attention, "CUSTOM", "Backend CUSTOM already exists in AttentionBackendEnum."},
              {mamba, "MAMBA1", "Backend MAMBA1 already exists in MambaAttentionBackendEnum."},
              {mla_prefill, "CPU", "Backend CPU already exists in MLAPrefillBackendEnum."}};
  for (const auto &row : rows) {
    EXPECT_EQ(add(row.in, row.name, "other.Path"), BKR_ALREADY_EXISTS);
    EXPECT_EQ(first_line(), row.line);
    EXPECT_NE(text().find("bkr_member_override"), std::string::npos) << "says how to override: " << text();
  }
  EXPECT_EQ(path(find(attention, "DYN")), "x.Y");
  EXPECT_EQ(found_by_path(attention, "other.Path"), "unknown");
  EXPECT_EQ(bkr_registry_epoch(registry), epoch) << "nothing changed";
}

TEST_F(Semantics, Row15_NamesThatAreNoIdentifiers) {
  for (const char *name : {"", "1ABC", "A-B", "A B", "A.B", "ABC\n"}) {
    EXPECT_EQ(add(attention, name, "x.Y"), BKR_INVALID_NAME) << name;
    EXPECT_EQ(text().rfind("Invalid or reserved backend name: " + std::string(name), 0), 0u) << text();
  }
  EXPECT_EQ(names(attention).size(), 46u);
}

TEST_F(Semantics, Row16_ReservedNames) {
  for (const char *name : {"mro", "register", "get_path", "get_class", "is_overridden", "clear_override",
                           "_member_map_", "__members__", "_missing_", "_generate_next_value_", "__class__"}) {
    EXPECT_EQ(add(attention, name, "x.Y"), BKR_INVALID_NAME) << name;
    EXPECT_EQ(first_line(), "Invalid or reserved backend name: " + std::string(name));
  }
}

TEST_F(Semantics, Row17_ExistingIsCheckedBeforeValid) {
  // A name that both exists and is reserved cannot be made; what can be seen is which check speaks first for a name
  // that exists with a path that is refused.
  EXPECT_EQ(add(attention, "CUSTOM", "directory/"), BKR_ALREADY_EXISTS);
  EXPECT_EQ(add(attention, "A-B", "directory/"), BKR_INVALID_NAME);
  EXPECT_EQ(add(attention, "A_B", "directory/"), BKR_BAD_PATH);
}

TEST_F(Semantics, Row18_TwoMembersWithOneDefaultPath) {
  bkr_member *member = nullptr;
  const char *default_path = bkr_member_default_path(find(attention, "CPU_ATTN"));
  ASSERT_EQ(add(attention, "SECOND", default_path, &member), BKR_OK);
  EXPECT_NE(member, find(attention, "CPU_ATTN"));
  EXPECT_EQ(found_by_path(attention, default_path), "SECOND");
}

TEST_F(Semantics, Row19_RegisterBackendIsDefaultAndOverride) {
  bkr_member *member = nullptr;
  ASSERT_EQ(bkr_register_backend(attention, "DYN", "x.Y", &member, &error), BKR_OK) << text();
  EXPECT_EQ(bkr_member_is_overridden(member), 1);
  EXPECT_STREQ(bkr_member_default_path(member), "x.Y");
  bkr_member_clear_override(member);
  EXPECT_EQ(path(member), "x.Y");
  EXPECT_EQ(bkr_member_is_overridden(member), 0);
}

TEST_F(Semantics, Row20_RegisterBackendTwice) {
  ASSERT_EQ(bkr_register_backend(attention, "DYN", "x.Y", nullptr, &error), BKR_OK);
  EXPECT_EQ(bkr_register_backend(attention, "DYN", "x.Z", nullptr, &error), BKR_ALREADY_EXISTS);
  EXPECT_EQ(first_line(), "Backend DYN already exists in AttentionBackendEnum.");
  EXPECT_EQ(path(find(attention, "DYN")), "x.Y");
}

TEST_F(Semantics, Row21_UnusualNamesAreAccepted) {
  for (const char *name : {"a_b", "_x", "class", "None", "flash_attn"}) {
    EXPECT_EQ(add(attention, name, "x.Y"), BKR_OK) << text();
    EXPECT_STREQ(bkr_member_name(find(attention, name)), name);
  }
  EXPECT_NE(find(attention, "flash_attn"), find(attention, "FLASH_ATTN"));
}

TEST_F(Semantics, Row22_OneNameInTwoFamilies) {
  ASSERT_EQ(bkr_member_override(find(attention, "FLASH_ATTN"), "a.B", &error), BKR_OK);
  EXPECT_EQ(bkr_member_is_overridden(find(mla_prefill, "FLASH_ATTN")), 0);
  EXPECT_EQ(path(find(mla_prefill, "FLASH_ATTN")), bkr_member_default_path(find(mla_prefill, "FLASH_ATTN")));
}

TEST_F(Semantics, Row23_IterationIsDefinitionOrderThenRegistrationOrder) {
  for (const char *name : {"ZZ", "AA", "MM"}) ASSERT_EQ(add(mamba, name, "x.Y"), BKR_OK);
  EXPECT_EQ(names(mamba), (std::vector<std::string>{"MAMBA1", "MAMBA2", "SHORT_CONV", "LINEAR", "GDN_ATTN", "CUSTOM",
                                                    "ZZ", "AA", "MM"}));
}

TEST_F(Semantics, Row24_APathThatNamesNothingFailsOnlyAtLoad) {
  bkr_member *member = nullptr;
  ASSERT_EQ(add(attention, "DYN", "no.such.Thing", &member), BKR_OK);
  EXPECT_EQ(path(member), "no.such.Thing");
  bkr_factory *factory = nullptr;
  EXPECT_EQ(bkr_member_load(member, &factory, &error), BKR_NOT_FOUND);
  EXPECT_NE(text().find("no.such.Thing"), std::string::npos) << text();
}

}  // namespace
