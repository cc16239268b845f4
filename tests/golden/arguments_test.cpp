// SPDX-License-Identifier: Apache-2.0
// Arguments that no call can work with: one of each kind.
#include <filesystem>

#include "golden.h"

namespace golden {
namespace {

namespace fs = std::filesystem;

// Changes the configuration that a registry is opened with.
struct Change {
  const char *name;
  void (*apply)(bkr_config &config);
};
void PrintTo(const Change &change, std::ostream *to) { *to << change.name; }

const char *const kNoDirectory[] = {nullptr};
const char *const kEmptyDirectory[] = {""};
const bkr_service kNoTable[] = {{"host.service/1", nullptr}};

const Change kChanges[] = {
    {"config_is_too_short", [](bkr_config &config) { config.struct_size = 8; }},
    {"config_has_unknown_flags", [](bkr_config &config) { config.flags |= 0x60; }},
    {"config_has_no_such_log_level", [](bkr_config &config) { config.log_level = 8; }},
    {"config_has_no_search_dirs", [](bkr_config &config) { config.search_dir_count = 2; }},
    {"config_has_a_null_in_search_dirs",
     [](bkr_config &config) {
       config.search_dirs = kNoDirectory;
       config.search_dir_count = 1;
     }},
    {"config_has_an_empty_search_dir",
     [](bkr_config &config) {
       config.search_dirs = kEmptyDirectory;
       config.search_dir_count = 1;
     }},
    {"config_has_no_services", [](bkr_config &config) { config.service_count = 1; }},
    {"config_has_a_service_without_table",
     [](bkr_config &config) {
       config.services = kNoTable;
       config.service_count = 1;
     }},
    {"config_has_reserved0", [](bkr_config &config) { config.reserved0 = 1; }},
};

Answer open_with(const bkr_config &config) {
  bkr_registry *registry = nullptr;
  return say([&](bkr_error *error) { return bkr_registry_open(&config, &registry, error); });
}

bkr_config plain_config() {
  bkr_config config = {};
  config.struct_size = sizeof config;
  config.flags = BKR_CONFIG_NO_DEFAULT_DIRS;
  return config;
}

class EachChange : public Golden, public testing::WithParamInterface<Change> {};

TEST_P(EachChange, is_refused) {
  bkr_config config = plain_config();
  GetParam().apply(config);
  expect(told(open_with(config)));
}

INSTANTIATE_TEST_SUITE_P(Golden, EachChange, testing::ValuesIn(kChanges), RowName());

class Arguments : public Golden {
 protected:
  const Registry registry;
};

TEST_F(Arguments, config_is_of_a_newer_header) {
  struct {
    bkr_config known = plain_config();
    uint32_t newer = 1;
    uint32_t zero = 0;
  } config;
  config.known.struct_size = sizeof config;
  expect(told(open_with(config.known)));
}

TEST_F(Arguments, config_has_a_directory_relative_to_a_deleted_one) {
  expect_from_child([&] {
    fs::create_directory(dir / "deleted");
    fs::current_path(dir / "deleted");
    fs::remove(dir / "deleted");
    const char *search_dir = "plugins";
    bkr_config config = plain_config();
    config.search_dirs = &search_dir;
    config.search_dir_count = 1;
    return told(open_with(config));
  });
}

TEST_F(Arguments, argument_is_null) {
  bkr_family *family = nullptr;
  expect(told(say([&](bkr_error *error) { return bkr_family_find(nullptr, "attention", &family, error); })));
}

TEST_F(Arguments, title_is_empty) {
  expect(told(say([&](bkr_error *error) { return bkr_family_add(registry.get(), "sampler", "", nullptr, error); })));
}

TEST_F(Arguments, target_is_too_short) {
  bkr_target target = {};
  target.struct_size = 4;
  expect(told(
      say([&](bkr_error *error) { return bkr_path_resolve(registry.family(), "no.such.Backend", &target, error); })));
}

TEST_F(Arguments, options_are_null) {
  bkr_backend *backend = nullptr;
  expect(told(say([&](bkr_error *error) {
    return bkr_backend_open(registry.get(), "attention", "CPU_ATTN", nullptr, 2, &backend, error);
  })));
}

TEST_F(Arguments, option_has_no_value) {
  const bkr_option options[] = {{"threads", "4"}, {"device", nullptr}};
  bkr_backend *backend = nullptr;
  expect(told(say([&](bkr_error *error) {
    return bkr_backend_open(registry.get(), "attention", "CPU_ATTN", options, 2, &backend, error);
  })));
}

TEST_F(Arguments, backend_is_of_no_registry) {
  bkr_backend backend = {nullptr, nullptr};
  expect(told(say([&](bkr_error *error) { return bkr_backend_init(&backend, nullptr, error); })));
}

TEST_F(Arguments, function_is_not_in_this_version) {
  expect(told(say([&](bkr_error *error) { return bkr_registry_import(registry.get(), "{}", error); })));
}

TEST_F(Arguments, buffer_is_too_small) {
  char buffer[16];
  std::size_t need = 0;
  expect(told(
      say([&](bkr_error *error) { return bkr_registry_report(registry.get(), buffer, sizeof buffer, &need, error); })));
}

TEST_F(Arguments, buffer_is_null) {
  expect(told(say(
      [&](bkr_error *error) { return bkr_member_explain(registry.member("CPU_ATTN"), nullptr, 16, nullptr, error); })));
}

TEST_F(Arguments, size_is_asked_for_without_need) {
  expect(told(say([&](bkr_error *error) { return bkr_registry_report(registry.get(), nullptr, 0, nullptr, error); })));
}

}  // namespace
}  // namespace golden
