// SPDX-License-Identifier: Apache-2.0
// Names of families and members.
#include "golden.h"

namespace golden {
namespace {

class Names : public Golden {
 protected:
  Answer find_family(const char *name) const {
    bkr_family *found = nullptr;
    return say([&](bkr_error *error) { return bkr_family_find(registry.get(), name, &found, error); });
  }
  Answer add_family(const std::string &name) const {
    return say([&](bkr_error *error) {
      return bkr_family_add(registry.get(), name.c_str(), "sampler backend", nullptr, error);
    });
  }
  Answer add(const std::string &name, const char *path = "x.Y", const std::string &family = "attention") const {
    return say([&](bkr_error *error) {
      return bkr_member_register(registry.family(family), name.c_str(), path, nullptr, error);
    });
  }

  const Registry registry{Configuration{{}, 0, BKR_LOG_INFO}};
};

TEST_F(Names, unknown_family) { expect(find_family("picker"), registry); }
TEST_F(Names, unknown_family_with_a_near_name) { expect(find_family("atention"), registry); }
TEST_F(Names, family_already_exists) { expect(add_family("mamba"), registry); }
TEST_F(Names, invalid_family_name) { expect(add_family("token-sampler"), registry); }

TEST_F(Names, unknown_name) { expect(registry.find("SOMETHING_ELSE", "mla_prefill"), registry); }
TEST_F(Names, unknown_name_with_a_near_name) { expect(registry.find("cpu_attn"), registry); }
TEST_F(Names, unknown_name_of_an_added_family) {
  ASSERT_TRUE(ok(add_family("sampler")));
  ASSERT_TRUE(ok(add("GREEDY", "x.Y", "sampler")));
  expect(registry.find("BEAM", "sampler"), registry);
}
TEST_F(Names, unknown_default_path) {
  bkr_member *found = nullptr;
  expect(say([&](bkr_error *error) {
           return bkr_member_find_by_path(registry.family(), "no.such.Backend", &found, error);
         }),
         registry);
}

TEST_F(Names, not_registered) { expect(registry.load("CUSTOM"), registry); }
TEST_F(Names, not_registered_of_mla_prefill) { expect(registry.resolve("CUSTOM", "mla_prefill"), registry); }
TEST_F(Names, not_registered_of_an_added_family) {
  ASSERT_TRUE(ok(add_family("sampler")));
  ASSERT_TRUE(ok(add("GREEDY", nullptr, "sampler")));
  const char *path = nullptr;
  expect(say([&](bkr_error *error) { return bkr_member_path(registry.member("GREEDY", "sampler"), &path, error); }),
         registry);
}

TEST_F(Names, registered) {
  ASSERT_TRUE(ok(add("DYN")));
  ASSERT_TRUE(ok(add("WITHOUT_A_PATH", nullptr)));
  expect(logged(registry));
}
TEST_F(Names, name_already_exists) { expect(add("CPU_ATTN"), registry); }
TEST_F(Names, name_already_exists_in_an_added_family) {
  ASSERT_TRUE(ok(add_family("sampler")));
  ASSERT_TRUE(ok(add("GREEDY", "x.Y", "sampler")));
  expect(add("GREEDY", "x.Z", "sampler"), registry);
}
TEST_F(Names, name_is_reserved) { expect(add("get_path"), registry); }
TEST_F(Names, name_is_no_identifier) { expect(add("FLASH-ATTN"), registry); }
TEST_F(Names, name_is_empty) { expect(add(""), registry); }
TEST_F(Names, name_is_too_long) { expect(add(std::string(64, 'N')), registry); }

}  // namespace
}  // namespace golden
