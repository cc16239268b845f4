// SPDX-License-Identifier: Apache-2.0
// interfaces/attention.hpp: a class with two functions is a backend of bkr.attention/1.
#include <gtest/gtest.h>

#include <vector>

#include "backend_registry/interfaces/attention.hpp"

namespace api_test {

class Attention : public bkr::attention_backend {
 public:
  const char *name() const noexcept override { return "ATTENTION"; }
  void write_kv(const bkr_attention_write_kv_params &params, void *stream) override {
    scale = params.key_scale;
    given_stream = stream;
  }
  void forward(const bkr_attention_forward_params &params, void *) override {
    if (params.query == nullptr) throw bkr::error(BKR_INVALID_ARGUMENT, "query is NULL");
  }
  static inline double scale = 0;
  static inline void *given_stream = nullptr;
};

}  // namespace api_test

BKR_CREATE_FUNCTION(create_attention, api_test::Attention)

namespace {

class AttentionBackend : public testing::Test {
 protected:
  AttentionBackend() {
    bkr_create_args args = {};
    args.struct_size = sizeof(args);
    const void *found = nullptr;
    EXPECT_EQ(create_attention(&args, &backend, nullptr), BKR_OK);
    EXPECT_EQ(backend->api->get_interface(backend, BKR_ATTENTION_1, &found, nullptr), BKR_OK);
    table = static_cast<const bkr_attention_1 *>(found);
  }
  ~AttentionBackend() override { backend->api->destroy(backend); }

  bkr_status kv_cache_shape(int64_t blocks, int64_t block_size, int64_t heads, int64_t size, int64_t value_size) {
    const bkr_attention_kv_cache_params params = {sizeof(params), 0,          blocks, block_size, heads,
                                                  size,           value_size, shape,  &ndim};
    return table->kv_cache_shape(backend, &params, nullptr, &error);
  }

  bkr_backend *backend = nullptr;
  const bkr_attention_1 *table = nullptr;
  int64_t shape[BKR_KV_CACHE_MAX_DIMS] = {};
  int32_t ndim = 0;
  char text[256] = "";
  bkr_error error = BKR_ERROR_INIT(text);
};

TEST_F(AttentionBackend, has_a_complete_table) {
  EXPECT_EQ(table->struct_size, sizeof(bkr_attention_1));
  EXPECT_EQ(table->flags, 0u);
  EXPECT_TRUE(table->kv_cache_shape && table->write_kv && table->forward);
  const void *other = nullptr;
  EXPECT_EQ(backend->api->get_interface(backend, "bkr.attention/2", &other, nullptr), BKR_UNSUPPORTED);
}

TEST_F(AttentionBackend, hands_parameters_and_stream_to_the_class) {
  bkr_attention_write_kv_params params = {};
  params.struct_size = sizeof(params);
  params.key_scale = 0.5;
  EXPECT_EQ(table->write_kv(backend, &params, this, nullptr), BKR_OK);
  EXPECT_EQ(api_test::Attention::scale, 0.5);
  EXPECT_EQ(api_test::Attention::given_stream, this);
}

TEST_F(AttentionBackend, stops_what_forward_throws) {
  const bkr_attention_forward_params params = BKR_ATTENTION_FORWARD_INIT;
  EXPECT_EQ(table->forward(backend, &params, nullptr, &error), BKR_INVALID_ARGUMENT);
  EXPECT_STREQ(text, "query is NULL");
}

TEST_F(AttentionBackend, has_a_cache_of_keys_and_values_by_itself) {
  EXPECT_EQ(kv_cache_shape(7, 16, 2, 64, 32), BKR_OK);
  EXPECT_EQ(std::vector<int64_t>(shape, shape + ndim), (std::vector<int64_t>{2, 7, 2, 16, 64}));
  EXPECT_EQ(kv_cache_shape(7, 16, 2, 64, 0), BKR_OK);
}

TEST_F(AttentionBackend, names_the_size_that_it_cannot_hold) {
  EXPECT_EQ(kv_cache_shape(7, 0, 2, 64, 0), BKR_INVALID_ARGUMENT);
  EXPECT_STREQ(text, "block_size is 0, must be at least 1");
  EXPECT_EQ(kv_cache_shape(7, 16, 2, 64, 65), BKR_INVALID_ARGUMENT);
  EXPECT_STREQ(text, "value_head_size is 65, must be 0 or at most head_size, 64");
  EXPECT_EQ(ndim, 0);
}

}  // namespace
