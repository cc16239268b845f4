// SPDX-License-Identifier: Apache-2.0
// Plugins made with plugin.hpp, found, loaded and used through registry.hpp.
#include "backend_registry/plugin.hpp"

#include <gtest/gtest.h>

#include "backend_registry/registry.hpp"
#include "backends.h"

namespace api_test {
namespace {

class Plugin : public testing::Test {
 protected:
  static bkr::config settings() {
    bkr::config config;
    config.search_dirs = {BKR_TEST_PLUGIN_DIR};
    config.flags = BKR_CONFIG_NO_ENVIRONMENT | BKR_CONFIG_NO_DEFAULT_DIRS;
    return config;
  }

  bkr::registry registry = bkr::registry::open(settings());
};

TEST_F(Plugin, with_one_backend_is_a_member) {
  const bkr::member member = registry.find_family("mla_prefill").find_member("SINGLE");
  const bkr_target target = member.resolve();
  EXPECT_EQ(target.provider, BKR_PROVIDER_RECORD);
  EXPECT_STREQ(target.plugin_id, "org.example.single");
  EXPECT_STREQ(target.symbol, "create_backend");
  EXPECT_STREQ(target.interface_id, BKR_TEST_DOUBLER);
  EXPECT_EQ(member.load().create().name(), "DOUBLER");
}

TEST_F(Plugin, is_unloaded_when_nobody_uses_it) {
  bkr::config allowing = settings();
  allowing.flags |= BKR_CONFIG_ALLOW_UNLOAD;
  const bkr::registry unloading = bkr::registry::open(allowing);
  const std::string file = unloading.find_family("mla_prefill").find_member("SINGLE").resolve().file;
  {
    const bkr::backend backend = unloading.open_backend("mla_prefill", "SINGLE");
    try {
      unloading.unload(file);
      ADD_FAILURE() << "a backend of it is alive";
    } catch (const bkr::error &error) {
      EXPECT_EQ(error.status(), BKR_BUSY) << error.what();
    }
  }
  unloading.unload(file);
  EXPECT_EQ(unloading.open_backend("mla_prefill", "SINGLE").name(), "DOUBLER");
}

TEST_F(Plugin, with_several_backends_has_a_create_function_for_each) {
  EXPECT_EQ(registry.open_backend("attention", "DOUBLER").name(), "DOUBLER");
  EXPECT_EQ(registry.open_backend("attention", "CHOOSY").name(), "CHOOSY");
  EXPECT_EQ(registry.open_backend("mamba", "OBSERVED").name(), "OBSERVED");
}

TEST_F(Plugin, is_also_reached_by_file_and_symbol) {
  const bkr::family attention = registry.find_family("attention");
  const std::string file = BKR_TEST_PLUGIN_DIR "/several.so";
  const bkr::member custom = attention.find_member("CUSTOM");
  custom.override_path(file + "::create_doubler");
  EXPECT_EQ(custom.load().create().name(), "DOUBLER");
  try {
    attention.load(file + "::create_nothing");
    FAIL() << "a symbol that the descriptor does not have";
  } catch (const bkr::error &error) {
    EXPECT_EQ(error.status(), BKR_BAD_PATH);
    EXPECT_NE(std::string(error.what()).find("several.Choosy"), std::string::npos) << error.what();
  }
}

TEST_F(Plugin, computes_and_its_failures_are_thrown_by_the_host) {
  const bkr::backend backend = registry.open_backend("attention", "DOUBLER");
  const doubler *table = backend.get_interface<doubler>(BKR_TEST_DOUBLER);
  int32_t result = 0;
  backend.call(table->run, doubler_params{sizeof(doubler_params), 21, &result});
  EXPECT_EQ(result, 42);
  try {
    backend.call(table->run, doubler_params{sizeof(doubler_params), -1, &result});
    FAIL() << "an exception in a kernel";
  } catch (const bkr::error &error) {
    EXPECT_EQ(error.status(), BKR_PLUGIN_EXCEPTION);
    EXPECT_STREQ(error.what(), "negative");
  }
  EXPECT_THROW(backend.get_interface<doubler>("test.doubler/2"), bkr::error);
}

TEST_F(Plugin, is_asked_what_it_can_serve) {
  const bkr::backend backend = registry.open_backend("attention", "CHOOSY");
  EXPECT_EQ(backend.validate({{"head_size", "128"}}), std::vector<std::string>{});
  EXPECT_EQ(backend.validate({{"head_size", "96"}, {"sink", "1"}}),
            (std::vector<std::string>{"head_size not supported", "unknown requirement sink=1"}));
}

TEST_F(Plugin, is_initialised_once) {
  bkr::backend backend = registry.open_backend("attention", "DOUBLER");
  EXPECT_THROW(backend.init(2, 0), bkr::error) << "no CPU";
  backend.init();
  try {
    backend.init();
    FAIL() << "a second time";
  } catch (const bkr::error &error) {
    EXPECT_EQ(error.status(), BKR_WRONG_STATE);
  }
}

TEST_F(Plugin, outlives_the_registry_while_a_backend_does) {
  bkr::backend backend;
  EXPECT_FALSE(backend);
  {
    const bkr::registry own = bkr::registry::open(settings());
    backend = own.open_backend("attention", "DOUBLER");
  }
  EXPECT_TRUE(backend);
  EXPECT_EQ(backend.name(), "DOUBLER");
  bkr_backend *const released = backend.release();
  EXPECT_FALSE(backend);
  bkr_backend_destroy(released);
}

}  // namespace
}  // namespace api_test
