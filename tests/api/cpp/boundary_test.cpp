// SPDX-License-Identifier: Apache-2.0
// plugin.hpp as the registry sees it, through the C ABI alone: nothing of the library is linked here.
#include <gtest/gtest.h>

#include "backends.h"

BKR_CREATE_FUNCTION(create_doubler, api_test::Doubler)
BKR_CREATE_FUNCTION(create_observed, api_test::Observed)
BKR_CREATE_FUNCTION(create_choosy, api_test::Choosy)
BKR_CREATE_FUNCTION(create_broken, api_test::Broken)

namespace api_test {
namespace {

// A host as a registry makes it: it keeps what is logged, and offers one service.
class AbiHost {
 public:
  AbiHost() {
    api_ = {sizeof(bkr_host_api), BKR_ABI_VERSION, &AbiHost::log, &AbiHost::get_service};
    args_.struct_size = sizeof(args_);
    args_.abi_version = BKR_ABI_VERSION;
    args_.family = "attention";
    args_.backend_name = "TEST";
    args_.path = "api_test.Test";
    args_.host_api = &api_;
    args_.host = reinterpret_cast<const bkr_host *>(this);
  }

  bkr_status create(bkr_create_backend_fn function) { return function(&args_, &backend, &error); }

  ~AbiHost() { destroy(); }
  void destroy() {
    if (backend != nullptr) backend->api->destroy(backend);
    backend = nullptr;
  }

  bkr_create_args &args() { return args_; }

  bkr_backend *backend = nullptr;
  char text[512] = "";
  bkr_error error = BKR_ERROR_INIT(text);
  std::vector<std::string> lines;
  static constexpr int service = 42;

 private:
  static AbiHost &of(const bkr_host *host) { return *const_cast<AbiHost *>(reinterpret_cast<const AbiHost *>(host)); }
  static void BKR_CALL log(const bkr_host *host, int32_t, const char *line, size_t length) {
    of(host).lines.emplace_back(line, length);
  }
  static bkr_status BKR_CALL get_service(const bkr_host *, const char *id, const void **table, bkr_error *) {
    if (std::string_view(id) != "test.number/1") return BKR_UNSUPPORTED;
    *table = &service;
    return BKR_OK;
  }

  bkr_host_api api_;
  bkr_create_args args_ = {};
};

TEST(Boundary, makes_a_backend_with_a_complete_table) {
  AbiHost host;
  ASSERT_EQ(host.create(create_doubler), BKR_OK);
  const bkr_backend_api &api = *host.backend->api;
  EXPECT_EQ(api.struct_size, sizeof(bkr_backend_api));
  EXPECT_EQ(api.flags, 0u);
  EXPECT_EQ(host.backend->core, nullptr);
  EXPECT_STREQ(api.name(host.backend), "DOUBLER");
  EXPECT_TRUE(api.validate && api.init && api.get_interface && api.destroy);
}

TEST(Boundary, says_of_a_class_that_wants_it_that_it_is_concurrent) {
  AbiHost host;
  ASSERT_EQ(host.create(create_observed), BKR_OK);
  EXPECT_EQ(host.backend->api->flags, BKR_BACKEND_CONCURRENT);
}

TEST(Boundary, gives_the_constructor_what_the_backend_is_made_from) {
  AbiHost host;
  const bkr_option options[] = {{"threads", "2"}, {"colour", "green"}, {"threads", "4"}};
  host.args().options = options;
  host.args().option_count = 3;
  ASSERT_EQ(host.create(create_observed), BKR_OK);
  const Observed &made = *Observed::last;
  EXPECT_EQ(made.family, "attention");
  EXPECT_EQ(made.backend_name, "TEST");
  EXPECT_EQ(made.path, "api_test.Test");
  EXPECT_EQ(made.threads, "4") << "the last one wins";
  EXPECT_EQ(host.lines, std::vector<std::string>{"observed is made"});
}

TEST(Boundary, lets_a_backend_log_and_ask_for_services) {
  AbiHost host;
  ASSERT_EQ(host.create(create_observed), BKR_OK);
  host.lines.clear();
  Observed::last->host().log(BKR_LOG_WARN, "careful");
  EXPECT_EQ(host.lines, std::vector<std::string>{"careful"});
  ASSERT_NE(Observed::last->host().find_service<int>("test.number/1"), nullptr);
  EXPECT_EQ(*Observed::last->host().find_service<int>("test.number/1"), 42);
  EXPECT_EQ(Observed::last->host().find_service<int>("test.number/2"), nullptr);
}

TEST(Boundary, destroys_the_object) {
  AbiHost host;
  ASSERT_EQ(host.create(create_observed), BKR_OK);
  EXPECT_EQ(Observed::alive, 1);
  host.destroy();
  EXPECT_EQ(Observed::alive, 0);
}

TEST(Boundary, refuses_arguments_that_are_missing_or_of_another_version) {
  AbiHost host;
  struct later_args {
    bkr_create_args known;
    uint64_t new_field;
  } later = {host.args(), 0};
  bkr_backend *backend = nullptr;
  EXPECT_EQ(create_doubler(nullptr, &backend, nullptr), BKR_INVALID_ARGUMENT);
  EXPECT_EQ(create_doubler(&host.args(), nullptr, nullptr), BKR_INVALID_ARGUMENT);
  host.args().struct_size -= 1;
  EXPECT_EQ(host.create(create_doubler), BKR_INVALID_ARGUMENT);
  EXPECT_STREQ(host.text, "args.struct_size is 71, at least 72 is needed");
  later.known.struct_size = sizeof(later);
  later.new_field = 1;
  EXPECT_EQ(create_doubler(&later.known, &backend, nullptr), BKR_INVALID_ARGUMENT);
  EXPECT_EQ(backend, nullptr);
  later.new_field = 0;
  ASSERT_EQ(create_doubler(&later.known, &backend, nullptr), BKR_OK);
  backend->api->destroy(backend);
}

struct Thrown {
  const char *what;
  std::function<void()> thrower;
  bkr_status status;
  const char *text;
};

class StopsInCreate : public testing::TestWithParam<Thrown> {};

TEST_P(StopsInCreate, and_turns_it_into_a_status_and_a_text) {
  AbiHost host;
  Broken::in_constructor = GetParam().thrower;
  EXPECT_EQ(host.create(create_broken), GetParam().status);
  Broken::in_constructor = nullptr;
  EXPECT_EQ(host.backend, nullptr);
  EXPECT_EQ(host.error.code, GetParam().status);
  EXPECT_STREQ(host.text, GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(
    Boundary, StopsInCreate,
    testing::Values(
        Thrown{"its_own", [] { throw bkr::error(BKR_CREATE_FAILED, "no licence"); }, BKR_CREATE_FAILED, "no licence"},
        Thrown{"an_ok", [] { throw bkr::error(BKR_OK, "confused"); }, BKR_PLUGIN_EXCEPTION, "confused"},
        Thrown{"no_memory", [] { throw std::bad_alloc(); }, BKR_OUT_OF_MEMORY, "out of memory"},
        Thrown{"a_standard_one", [] { throw std::out_of_range("too far"); }, BKR_PLUGIN_EXCEPTION, "too far"},
        Thrown{"a_number", [] { throw 7; }, BKR_PLUGIN_EXCEPTION, "an exception that is no std::exception"}),
    [](const testing::TestParamInfo<Thrown> &thrown) { return std::string(thrown.param.what); });

TEST(Boundary, stops_exceptions_of_every_function) {
  AbiHost host;
  ASSERT_EQ(host.create(create_broken), BKR_OK);
  const bkr_backend_api &api = *host.backend->api;
  const void *table = nullptr;
  EXPECT_EQ(api.validate(host.backend, nullptr, 0, nullptr, nullptr, &host.error), BKR_PLUGIN_EXCEPTION);
  EXPECT_STREQ(host.text, "cannot say");
  EXPECT_EQ(api.init(host.backend, nullptr, &host.error), BKR_OUT_OF_MEMORY);
  EXPECT_EQ(api.get_interface(host.backend, "x", &table, &host.error), BKR_DENIED);
  EXPECT_EQ(host.error.stage, 7);
  EXPECT_EQ(host.error.native_code, 13);
  EXPECT_EQ(table, nullptr);
}

TEST(Boundary, logs_and_swallows_an_exception_of_the_destructor) {
  AbiHost host;
  ASSERT_EQ(host.create(create_broken), BKR_OK);
  Broken::in_destructor = [] { throw std::runtime_error("cannot end"); };
  host.destroy();
  Broken::in_destructor = nullptr;
  ASSERT_EQ(host.lines.size(), 2u);
  EXPECT_EQ(host.lines[1], "cannot end");
}

std::vector<std::string> reasons_of(bkr_backend *backend, const std::vector<bkr_option> &facts) {
  std::vector<std::string> reasons;
  const bkr_reason_fn emit = [](void *user, const char *reason) {
    static_cast<std::vector<std::string> *>(user)->emplace_back(reason);
  };
  const auto count = static_cast<uint32_t>(facts.size());
  EXPECT_EQ(backend->api->validate(backend, facts.data(), count, emit, &reasons, nullptr), BKR_OK);
  EXPECT_EQ(backend->api->validate(backend, facts.data(), count, nullptr, nullptr, nullptr), BKR_OK);
  return reasons;
}

TEST(Boundary, calls_every_fact_unknown_of_a_backend_that_says_nothing) {
  AbiHost host;
  ASSERT_EQ(host.create(create_doubler), BKR_OK);
  EXPECT_EQ(reasons_of(host.backend, {}), std::vector<std::string>{});
  EXPECT_EQ(reasons_of(host.backend, {{"head_size", "128"}, {"sink", "1"}}),
            (std::vector<std::string>{"unknown requirement head_size=128", "unknown requirement sink=1"}));
  EXPECT_EQ(host.backend->api->validate(host.backend, nullptr, 1, nullptr, nullptr, nullptr), BKR_INVALID_ARGUMENT);
}

TEST(Boundary, hands_on_the_reasons_of_a_backend) {
  AbiHost host;
  ASSERT_EQ(host.create(create_choosy), BKR_OK);
  EXPECT_EQ(reasons_of(host.backend, {{"head_size", "128"}}), std::vector<std::string>{});
  EXPECT_EQ(reasons_of(host.backend, {{"head_size", "96"}, {"sink", "1"}}),
            (std::vector<std::string>{"head_size not supported", "unknown requirement sink=1"}));
}

TEST(Boundary, takes_no_device_as_the_cpu) {
  AbiHost host;
  ASSERT_EQ(host.create(create_doubler), BKR_OK);
  bkr_device device = {sizeof(bkr_device), 2, 0, 0};
  EXPECT_EQ(host.backend->api->init(host.backend, &device, &host.error), BKR_INIT_FAILED);
  device.struct_size = 4;
  EXPECT_EQ(host.backend->api->init(host.backend, &device, &host.error), BKR_INVALID_ARGUMENT);
  EXPECT_EQ(host.backend->api->init(host.backend, nullptr, &host.error), BKR_OK);
}

TEST(Boundary, knows_an_interface_or_says_that_it_does_not) {
  AbiHost host;
  ASSERT_EQ(host.create(create_doubler), BKR_OK);
  const bkr_backend_api &api = *host.backend->api;
  const void *table = nullptr;
  EXPECT_EQ(api.get_interface(host.backend, "bkr.attention/1", &table, &host.error), BKR_UNSUPPORTED);
  EXPECT_STREQ(host.text, "DOUBLER has no interface 'bkr.attention/1'");
  EXPECT_EQ(api.get_interface(host.backend, nullptr, &table, nullptr), BKR_INVALID_ARGUMENT);
  EXPECT_EQ(api.get_interface(host.backend, BKR_TEST_DOUBLER, nullptr, nullptr), BKR_INVALID_ARGUMENT);
  EXPECT_EQ(table, nullptr);
  EXPECT_EQ(api.get_interface(host.backend, BKR_TEST_DOUBLER, &table, nullptr), BKR_OK);
  EXPECT_NE(table, nullptr);
}

class Method : public testing::Test {
 protected:
  Method() {
    const void *found = nullptr;
    EXPECT_EQ(host.create(create_doubler), BKR_OK);
    EXPECT_EQ(host.backend->api->get_interface(host.backend, BKR_TEST_DOUBLER, &found, nullptr), BKR_OK);
    table = static_cast<const doubler *>(found);
  }
  bkr_status run(int32_t in, int32_t *out) {
    const doubler_params params = {sizeof(doubler_params), in, out};
    return table->run(host.backend, &params, nullptr, &host.error);
  }

  AbiHost host;
  const doubler *table = nullptr;
  int32_t result = 0;
};

TEST_F(Method, calls_the_member_function_of_the_object) {
  EXPECT_EQ(run(21, &result), BKR_OK);
  EXPECT_EQ(result, 42);
  const doubler_params params = {sizeof(doubler_params), 0, &result};
  EXPECT_EQ(table->ask(host.backend, &params, nullptr, nullptr), BKR_OK);
  EXPECT_EQ(result, 1);
}

TEST_F(Method, stops_exceptions) {
  EXPECT_EQ(run(1, nullptr), BKR_INVALID_ARGUMENT);
  EXPECT_STREQ(host.text, "out is NULL");
  EXPECT_EQ(run(-1, &result), BKR_PLUGIN_EXCEPTION);
  EXPECT_STREQ(host.text, "negative");
  EXPECT_EQ(run(99, &result), BKR_PLUGIN_EXCEPTION);
}

TEST_F(Method, checks_the_size_of_the_parameters) {
  struct later_params {
    doubler_params known;
    uint64_t new_field;
  } later = {{sizeof(later_params), 4, &result}, 0};
  EXPECT_EQ(table->run(host.backend, &later.known, nullptr, nullptr), BKR_OK);
  EXPECT_EQ(result, 8);
  later.new_field = 1;
  EXPECT_EQ(table->run(host.backend, &later.known, nullptr, &host.error), BKR_INVALID_ARGUMENT);
  EXPECT_STREQ(host.text,
               "params has a field of a later version set (byte 16 of 24), which this backend does not know");
  later.known.struct_size = 8;
  EXPECT_EQ(table->run(host.backend, &later.known, nullptr, &host.error), BKR_INVALID_ARGUMENT);
  EXPECT_EQ(table->run(host.backend, nullptr, nullptr, &host.error), BKR_INVALID_ARGUMENT);
  EXPECT_EQ(table->run(nullptr, &later.known, nullptr, &host.error), BKR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace api_test
