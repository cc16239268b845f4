// SPDX-License-Identifier: Apache-2.0
// family::select, with a backend of the host's own that states what it can do.
#include <gtest/gtest.h>

#include "backend_registry/backend_registry.hpp"
#include "backend_registry/plugin.hpp"
#include "backend_registry/register_backend.hpp"

namespace api_test {

class Able : public bkr::plugin_backend {
 public:
  const char *name() const noexcept override { return "ABLE"; }
  void validate(const bkr::options &facts, bkr::reasons &against) override { abilities().check(facts, against); }

 private:
  static constexpr bkr::attention_abilities abilities() {
    bkr::attention_abilities can;
    can.head_sizes = {64, 128};
    can.dtypes = {"float32"};
    return can;
  }
};

class Anything : public bkr::plugin_backend {
 public:
  const char *name() const noexcept override { return "ANYTHING"; }
  void validate(const bkr::options &, bkr::reasons &) override {}
};

}  // namespace api_test

namespace {

class Select : public testing::Test {
 protected:
  static bkr::config alone() {
    bkr::config settings;
    settings.flags = BKR_CONFIG_NO_ENVIRONMENT | BKR_CONFIG_NO_DEFAULT_DIRS;
    settings.log_level = BKR_LOG_OFF;
    return settings;
  }
  Select() {
    bkr::register_backend<api_test::Able>(attention, "ABLE");
    bkr::register_backend<api_test::Anything>(attention, "ANYTHING");
  }
  const bkr::registry registry = bkr::registry::open(alone());
  const bkr::family attention = registry.find_family("attention");
};

TEST_F(Select, gives_the_member_and_the_report) {
  const bkr::selected able = attention.select({{{"head_size", "64"}, {"dtype", "float32"}}, {}, ""});
  EXPECT_EQ(able.member.name(), "ABLE");
  EXPECT_NE(able.report.find("\"choice\": \"ABLE\""), std::string::npos) << able.report;
  EXPECT_EQ(able.report.back(), '}');
  const bkr::selected other = attention.select({{{"head_size", "72"}}, {"ABLE", "ANYTHING"}, "auto"});
  EXPECT_EQ(other.member.name(), "ANYTHING");
  EXPECT_NE(other.report.find("head_size not supported"), std::string::npos) << other.report;
}

TEST_F(Select, throws_what_has_the_report_when_all_are_turned_down) {
  try {
    attention.select({{{"head_size", "72"}}, {}, "ABLE"});
    ADD_FAILURE() << "it was chosen";
  } catch (const bkr::selection_error &error) {
    EXPECT_EQ(error.status(), BKR_CHOICE_REFUSED);
    EXPECT_NE(std::string(error.what()).find("Reason: [head_size not supported]"), std::string::npos) << error.what();
    EXPECT_NE(error.report().find("\"turned down\""), std::string::npos) << error.report();
  }
  EXPECT_THROW(attention.select({{{"use_mla", "1"}}, {"ABLE"}, ""}), bkr::selection_error);
  try {
    attention.select({{}, {"NOBODY"}, ""});
    ADD_FAILURE() << "there is no such name";
  } catch (const bkr::selection_error &) {
    ADD_FAILURE() << "nothing was selected";
  } catch (const bkr::error &error) {
    EXPECT_EQ(error.status(), BKR_UNKNOWN_NAME);
  }
}

TEST_F(Select, reads_a_report_of_any_length) {
  const std::string key(10000, 'k');
  const bkr::selected chosen = attention.select({{{key.c_str(), "1"}}, {"ABLE", "ANYTHING"}, ""});
  EXPECT_EQ(chosen.member.name(), "ANYTHING");
  EXPECT_NE(chosen.report.find("unknown requirement " + key + "=1"), std::string::npos);
}

}  // namespace
