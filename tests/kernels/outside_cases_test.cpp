// SPDX-License-Identifier: Apache-2.0
// Cases that others recorded, in the folder that BKR_OUTSIDE_CASES names: {"attributes", "tensors": {q, k, v,
// expected}}, tensors [batch, tokens, heads, size]. Each is put into a paged cache and compared with its own tolerance.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "plugin_under_test.h"
#include "strided_tensor.h"

namespace bkr::test {
namespace {

using nlohmann::json;

constexpr int64_t kBlockSize = 4;

// Numbers as those files write them: NaN and infinity are texts or null.
double outside_number(const json &value) {
  if (value.is_number()) return value.get<double>();
  const std::string word = value.is_string() ? value.get<std::string>() : "nan";
  return std::strtod(word.c_str(), nullptr);
}

struct Recorded {
  explicit Recorded(const json &tensor) : dtype(tensor.at("dtype")), shape(tensor.at("shape").get<Shape>()) {
    flatten(tensor.at("data"));
  }
  double at(int64_t b, int64_t t, int64_t h, int64_t d) const {
    return data.at(static_cast<std::size_t>(((b * shape[1] + t) * shape[2] + h) * shape[3] + d));
  }
  void flatten(const json &values) {
    if (!values.is_array()) return data.push_back(outside_number(values));
    for (const json &value : values) flatten(value);
  }

  std::string dtype;
  Shape shape;
  std::vector<double> data;
};

class OutsideCases : public CpuAttn {
 protected:
  void run(const json &document);
};

// One case while it is put into the tensors of the interface. Where keys are shorter than values, both and the query
// are padded with zeros to one size, which changes no score.
class Layout {
 public:
  explicit Layout(const json &document)
      : q(document.at("tensors").at("q")),
        k(document.at("tensors").at("k")),
        v(document.at("tensors").at("v")),
        lengths(document.at("attributes").at("kv_lens").get<Shape>()),
        counts(document.at("attributes").at("q_lens").get<Shape>()),
        size(std::max(q.shape[3], v.shape[3])),
        tokens(0),
        blocks((k.shape[1] + kBlockSize - 1) / kBlockSize) {
    for (const int64_t count : counts) tokens += count;
  }

  Recorded q, k, v;
  Shape lengths, counts;
  int64_t size, tokens, blocks;
};

void OutsideCases::run(const json &document) {
  const json &attributes = document.at("attributes");
  const Layout in(document);
  const auto requests = static_cast<int64_t>(in.counts.size());
  const int64_t heads = in.q.shape[2];
  const int64_t kv_heads = in.k.shape[2];
  StridedTensor query(in.q.dtype, {in.tokens, heads, in.size});
  StridedTensor out(in.q.dtype, {in.tokens, heads, in.v.shape[3]});
  StridedTensor key(in.k.dtype, {requests * in.k.shape[1], kv_heads, in.size});
  StridedTensor value(in.v.dtype, {requests * in.k.shape[1], kv_heads, in.v.shape[3]});
  StridedTensor slots("int64", {key.size(0)});
  StridedTensor cache(in.k.dtype, {2, requests * in.blocks, kv_heads, kBlockSize, in.size});
  StridedTensor starts("int32", {requests + 1});
  StridedTensor lengths("int32", {requests});
  StridedTensor table("int32", {requests, in.blocks});
  query.fill([] { return 0; });
  key.fill([] { return 0; });
  starts.set({0}, 0);
  int64_t row = 0;
  for (int64_t b = 0; b < requests; ++b) {
    const int64_t length = in.lengths[static_cast<std::size_t>(b)];
    lengths.set({b}, static_cast<double>(length));
    for (int64_t i = 0; i < in.blocks; ++i) table.set({b, i}, static_cast<double>(i * requests + b));
    for (int64_t t = 0; t < in.counts[static_cast<std::size_t>(b)]; ++t, ++row) {
      for (int64_t h = 0; h < heads; ++h) {
        for (int64_t d = 0; d < in.q.shape[3]; ++d) query.set({row, h, d}, in.q.at(b, t, h, d));
      }
    }
    starts.set({b + 1}, static_cast<double>(row));
    for (int64_t t = 0; t < in.k.shape[1]; ++t) {
      const int64_t token = b * in.k.shape[1] + t;
      const int64_t slot = (t / kBlockSize * requests + b) * kBlockSize + t % kBlockSize;
      slots.set({token}, static_cast<double>(t < length ? slot : -1));
      for (int64_t h = 0; h < kv_heads; ++h) {
        for (int64_t d = 0; d < in.k.shape[3]; ++d) key.set({token, h, d}, in.k.at(b, t, h, d));
        for (int64_t d = 0; d < in.v.shape[3]; ++d) value.set({token, h, d}, in.v.at(b, t, h, d));
      }
    }
  }

  bkr_attention_write_kv_params write{};
  write.struct_size = sizeof write;
  write.key = key.view();
  write.value = value.view();
  write.kv_cache = cache.view();
  write.slot_mapping = slots.view();
  const Outcome written = write_kv(write);
  ASSERT_EQ(written.status, BKR_OK) << written.text;

  bkr_attention_forward_params params = BKR_ATTENTION_FORWARD_INIT;
  params.causal = attributes.at("causal").get<bool>() ? 1 : 0;
  params.window_left = attributes.at("window_left");
  params.window_right = attributes.at("window_right");
  params.scale = attributes.at("scale");
  params.softcap = attributes.at("softcap");
  params.query = query.view();
  params.kv_cache = cache.view();
  params.query_start_loc = starts.view();
  params.seq_lens = lengths.view();
  params.block_table = table.view();
  params.out = out.view();
  params.value_head_size = static_cast<int32_t>(in.v.shape[3]);
  StridedTensor sinks("float32", {heads});
  if (attributes.contains("sinks")) {
    params.sinks = sinks.with(attributes.at("sinks").get<std::vector<double>>()).view();
  }
  StridedTensor slopes("float32", {heads});
  if (attributes.contains("alibi_slopes")) {
    params.alibi_slopes = slopes.with(attributes.at("alibi_slopes").get<std::vector<double>>()).view();
  }
  const Outcome outcome = forward(params);
  ASSERT_EQ(outcome.status, BKR_OK) << outcome.text;

  const Recorded expected(document.at("tensors").at("expected"));
  const double absolute = attributes.at("tolerance").at("atol");
  const double relative = attributes.at("tolerance").at("rtol");
  row = 0;
  for (int64_t b = 0; b < requests; ++b) {
    for (int64_t t = 0; t < in.counts[static_cast<std::size_t>(b)]; ++t, ++row) {
      for (int64_t h = 0; h < heads; ++h) {
        for (int64_t d = 0; d < expected.shape[3]; ++d) {
          const double wanted = expected.at(b, t, h, d);
          ASSERT_NEAR(out.at({row, h, d}), wanted, absolute + relative * std::fabs(wanted))
              << "[" << b << "," << t << "," << h << "," << d << "]";
        }
      }
    }
  }
}

TEST_P(OutsideCases, AllAgree) {
  const char *folder = std::getenv("BKR_OUTSIDE_CASES");
  if (folder == nullptr || *folder == '\0') GTEST_SKIP() << "BKR_OUTSIDE_CASES names no folder";
  int count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path().filename().string());
    std::ifstream file(entry.path());
    run(json::parse(file));
    ++count;
  }
  EXPECT_GT(count, 0) << "no case in " << folder;
  RecordProperty("cases", count);
  std::cout << count << " cases from outside agree\n";
}

BKR_WITH_EVERY_CPU_ATTN(OutsideCases);

}  // namespace
}  // namespace bkr::test
