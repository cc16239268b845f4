// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_SEMANTICS_REGISTRY_FIXTURE_H
#define BKR_TESTS_SEMANTICS_REGISTRY_FIXTURE_H

#include <backend_registry/backend_registry.h>
#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <vector>

// A registry of its own with nothing but the built-in families: no environment, no search directory. What it logs
// is kept.
class RegistryFixture : public ::testing::Test {
 protected:
  void SetUp() override {
    bkr_config config{};
    config.struct_size = sizeof config;
    config.flags = BKR_CONFIG_NO_ENVIRONMENT | BKR_CONFIG_NO_DEFAULT_DIRS;
    config.log_level = BKR_LOG_INFO;
    config.log = [](void *user, int32_t, const char *text, size_t size) {  // on any thread
      auto *self = static_cast<RegistryFixture *>(user);
      const std::lock_guard lock(self->log_mutex);
      self->logged.emplace_back(text, size);
    };
    config.log_user = this;
    ASSERT_EQ(bkr_registry_open(&config, &registry, &error), BKR_OK) << text();
    attention = family("attention");
    mamba = family("mamba");
    mla_prefill = family("mla_prefill");
  }
  void TearDown() override { bkr_registry_close(registry); }

  bkr_family *family(const char *name) {
    bkr_family *found = nullptr;
    EXPECT_EQ(bkr_family_find(registry, name, &found, &error), BKR_OK) << text();
    return found;
  }
  bkr_member *find(bkr_family *in, const char *name) {
    bkr_member *member = nullptr;
    EXPECT_EQ(bkr_member_find(in, name, &member, &error), BKR_OK) << text();
    return member;
  }
  std::string path(const bkr_member *member) {
    const char *found = "";
    EXPECT_EQ(bkr_member_path(member, &found, &error), BKR_OK) << text();
    return found;
  }
  // "NAME", or the first line of the error.
  std::string found_by_path(bkr_family *in, const char *default_path) {
    bkr_member *member = nullptr;
    if (bkr_member_find_by_path(in, default_path, &member, &error) != BKR_OK) return "unknown";
    return bkr_member_name(member);
  }
  bkr_status add(bkr_family *to, const char *name, const char *with_path, bkr_member **member = nullptr) {
    return bkr_member_register(to, name, with_path, member, &error);
  }
  static std::vector<std::string> names(bkr_family *in) {
    std::vector<std::string> all;
    for (uint32_t i = 0; bkr_member *member = bkr_family_member_at(in, i); ++i) all.push_back(bkr_member_name(member));
    return all;
  }
  static std::string valid(bkr_family *in) {
    std::string all;
    for (const std::string &name : names(in)) all += (all.empty() ? "" : ", ") + name;
    return all;
  }
  std::string text() const { return error_text; }
  std::string first_line() const { return text().substr(0, text().find('\n')); }

  bkr_registry *registry = nullptr;
  bkr_family *attention = nullptr;
  bkr_family *mamba = nullptr;
  bkr_family *mla_prefill = nullptr;
  std::mutex log_mutex;
  std::vector<std::string> logged;
  char error_text[8192] = "";
  bkr_error error = BKR_ERROR_INIT(error_text);
};

#endif  // BKR_TESTS_SEMANTICS_REGISTRY_FIXTURE_H
