// SPDX-License-Identifier: Apache-2.0
// Selections that end without a backend, or with less than was hoped for.
#include "choosy.h"
#include "golden.h"

namespace golden {
namespace {

class Selections : public Golden {
 protected:
  Selections() {
    dir.drop(choosy("FAST", 10), "fast.so");
    dir.drop(choosy("SLOW"), "slow.so");
  }
  Answer said(const Registry &registry, const Asked &asked) const { return select(registry, asked).answer; }
  Choosy plugins;
};

TEST_F(Selections, selection_finds_no_valid_backend) {
  dir.drop(choosy("FOR_ANOTHER_CPU").with_cpu_level("no-such-cpu"), "level.so");
  const Registry registry(dir);
  plugins.objects("FAST", {"head_size not supported", "unknown requirement use_teleport=1"});
  plugins.objects("SLOW", {"MLA not supported"});
  expect(said(registry, {{{"head_size", "72"}, {"use_mla", "1"}, {"use_teleport", "1"}}}), registry);
}

TEST_F(Selections, selection_finds_no_candidate) {
  const Registry registry(dir);
  expect(said(registry, {{{"mamba_type", "MAMBA2"}}, {}, nullptr, "mamba"}), registry);
}

TEST_F(Selections, selection_refuses_the_hosts_choice) {
  const Registry registry(dir);
  plugins.objects("FAST", {"head_size not supported", "MLA not supported"});
  expect(said(registry, {{{"head_size", "72"}, {"use_mla", "1"}}, {}, "FAST"}), registry);
}

TEST_F(Selections, selection_refuses_the_environments_choice) {
  const Variable variable("BKR_SELECT_ATTENTION", "FAST");
  const Registry registry(dir);
  plugins.objects("FAST", {"MLA not supported"});
  expect(said(registry, {{{"use_mla", "1"}}}), registry);
}

TEST_F(Selections, selection_refuses_a_choice_that_cannot_be_loaded) {
  dir.drop(built("needs_missing").named("NEEDS"), "needs.so");
  const Registry registry(dir);
  expect(said(registry, {{}, {}, "NEEDS"}), registry);
}

TEST_F(Selections, selection_refuses_a_choice_that_nobody_provides) {
  const Registry registry(dir);
  expect(said(registry, {{}, {}, "FLASH_ATTN"}), registry);
}

TEST_F(Selections, selection_of_an_unknown_name_by_the_environment) {
  const Variable variable("BKR_SELECT_ATTENTION", "CPU_ATN");
  const Registry registry(dir);
  expect(said(registry, {}), registry);
}

TEST_F(Selections, selection_of_a_name_without_a_path) {
  const Registry registry(dir);
  expect(said(registry, {{}, {"FAST", "CUSTOM"}}), registry);
}

TEST_F(Selections, selection_ends_at_a_broken_plugin) {
  const Registry registry(dir);
  plugins.does("FAST", "create", [](choosy_call &call) {
    call.own_name = nullptr;
    return BKR_OK;
  });
  expect(said(registry, {}), registry);
}

TEST_F(Selections, selection_ends_at_a_validate_that_fails) {
  const Registry registry(dir);
  plugins.does("FAST", "validate", [](choosy_call &) { return BKR_WRONG_STATE; });
  expect(said(registry, {}), registry);
}

TEST_F(Selections, selection_asks_from_inside_a_validate) {
  const Registry registry(dir);
  Answer inner;
  plugins.does("FAST", "validate", [&](choosy_call &) {
    inner = select(registry).answer;
    return BKR_OK;
  });
  EXPECT_EQ(select(registry, {{}, {"FAST"}}).choice, "FAST");
  expect(inner, registry);
}

TEST_F(Selections, selection_passes_over_a_plugin_that_cannot_be_used) {
  dir.drop(built("needs_missing").named("NEEDS").with_priority(20), "needs.so");
  const Registry registry(dir);
  EXPECT_EQ(select(registry).choice, "FAST");
  expect(logged(registry));
}

TEST_F(Selections, selection_is_precluded_by_a_block_size) {
  const Registry registry(dir);
  plugins.objects("FAST", {"block_size not supported"});
  EXPECT_EQ(select(registry, {{{"block_size", "24"}}}).choice, "SLOW");
  expect(logged(registry));
}

TEST_F(Selections, selected_backend_calls_itself_what_is_no_member) {
  const Registry registry(dir);
  plugins.does("FAST", "name", [](choosy_call &call) {
    call.own_name = "FAST_BUT_OTHERWISE";
    return BKR_OK;
  });
  EXPECT_EQ(select(registry).choice, "FAST");
  expect(logged(registry));
}

TEST_F(Selections, selection_is_told) {
  const Registry registry(Configuration{{dir.path()}, 0, BKR_LOG_INFO});
  plugins.objects("FAST", {"MLA not supported", "sparse not supported"});
  EXPECT_EQ(select(registry, {{{"use_mla", "1"}, {"use_sparse", "1"}}}).choice, "SLOW");
  expect(logged(registry));
}

TEST_F(Selections, selection_has_unknown_flags) {
  const Registry registry(dir);
  bkr_selection selection = {};
  selection.struct_size = sizeof selection;
  selection.flags = 4;
  bkr_member *member = nullptr;
  expect(say([&](bkr_error *error) {
           return bkr_select(registry.family(), &selection, &member, nullptr, 0, nullptr, error);
         }),
         registry);
}

TEST_F(Selections, selection_has_a_null_in_candidates) {
  const Registry registry(dir);
  const char *const names[] = {"FAST", nullptr};
  bkr_selection selection = {};
  selection.struct_size = sizeof selection;
  selection.candidates = names;
  selection.candidate_count = 2;
  bkr_member *member = nullptr;
  expect(say([&](bkr_error *error) {
           return bkr_select(registry.family(), &selection, &member, nullptr, 0, nullptr, error);
         }),
         registry);
}

}  // namespace
}  // namespace golden
