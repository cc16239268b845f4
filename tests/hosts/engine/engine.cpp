// SPDX-License-Identifier: Apache-2.0
// A small engine: a hybrid model of attention, Mamba 2 and latent attention, whose kernels are backends chosen by
// facts. Four requests are served together for 64 steps, prompts and decoding in one ragged batch; one of them comes
// late, with its prompt in two pieces. Then the same tokens go through the model once more, in a single prefill, and
// every state must be the same.
#include <algorithm>
#include <cmath>
#include <iostream>

#include "dense.h"
#include "layer.h"

namespace engine {
namespace {

constexpr int kSteps = 64;
constexpr int64_t kWords = 97;
// Of states whose root mean square is 1, after four layers in float32.
constexpr double kTolerance = 1e-4;

class Model {
 public:
  explicit Model(const bkr::registry &registry) {
    std::mt19937 random(20260101);
    words_ = random_weights(random, kHidden, kWords);
    const auto seeded = [](uint32_t seed) { return std::mt19937(seed); };
    layers_.push_back(make_attention_layer(registry, seeded(1)));
    layers_.push_back(make_mamba2_layer(registry, seeded(2)));
    layers_.push_back(make_mla_layer(registry, seeded(3)));
    layers_.push_back(make_mamba2_layer(registry, seeded(4)));
    for (int32_t block = 0; block < kBlocks; ++block) free_blocks_.push_back(block);
    std::shuffle(free_blocks_.begin(), free_blocks_.end(), random);
  }

  // The state behind each token of the batch, normalised.
  Floats run(std::vector<Batch::Work> work) {
    Batch batch(std::move(work), free_blocks_);
    Floats state({batch.tokens(), kHidden});
    for (int64_t t = 0; t < batch.tokens(); ++t) {
      const int32_t word = batch.token[static_cast<std::size_t>(t)];
      for (int64_t i = 0; i < kHidden; ++i) state.row(t)[i] = words_.row(i)[word] * std::sqrt(float{kHidden});
    }
    for (const std::unique_ptr<Layer> &layer : layers_) {
      Floats normalised = state;
      rms_norm(normalised, kHidden);
      const Floats added = layer->forward(normalised, batch);
      for (std::size_t i = 0; i < state.data.size(); ++i) state.data[i] += added.data[i];
    }
    rms_norm(state, kHidden);
    batch.finish();
    return state;
  }

  // The word that follows a state.
  int32_t next_word(const float *state) const {
    Floats row({1, kHidden});
    std::copy_n(state, kHidden, row.row(0));
    const Floats scores = multiply(row, words_);
    return static_cast<int32_t>(std::max_element(scores.data.begin(), scores.data.end()) - scores.data.begin());
  }

 private:
  Floats words_;
  std::vector<std::unique_ptr<Layer>> layers_;
  std::vector<int32_t> free_blocks_;
};

struct Request {
  Sequence sequence;
  int arrives = 0;              // in which step
  std::vector<int64_t> pieces;  // of its prompt
  std::vector<float> states;    // behind each token, as they came
};

std::vector<Request> make_requests() {
  std::mt19937 random(7);
  std::vector<Request> requests(4);
  requests[0].pieces = {5};
  requests[1].pieces = {37};
  requests[2].pieces = {1};
  requests[3].pieces = {23, 30};
  requests[3].arrives = 8;
  int32_t slot = kSlots;
  for (Request &request : requests) {
    request.sequence.slot = --slot;
    for (const int64_t piece : request.pieces) {
      for (int64_t i = 0; i < piece; ++i) {
        request.sequence.tokens.push_back(static_cast<int32_t>(random() % static_cast<uint32_t>(kWords)));
      }
    }
  }
  return requests;
}

void serve(Model &model, std::vector<Request> &requests) {
  for (int step = 0; step < kSteps; ++step) {
    std::vector<Batch::Work> work;
    std::vector<Request *> of_work;
    for (Request &request : requests) {
      if (step < request.arrives) continue;
      const auto piece = static_cast<std::size_t>(step - request.arrives);
      work.push_back({&request.sequence, piece < request.pieces.size() ? request.pieces[piece] : 1});
      of_work.push_back(&request);
    }
    const Floats states = model.run(work);
    int64_t row = 0;
    for (std::size_t i = 0; i < work.size(); ++i) {
      Request &request = *of_work[i];
      request.states.insert(request.states.end(), states.row(row), states.row(row + work[i].tokens));
      row += work[i].tokens;
      const bool all_seen = request.sequence.done == static_cast<int64_t>(request.sequence.tokens.size());
      if (all_seen) request.sequence.tokens.push_back(model.next_word(states.row(row - 1)));
    }
  }
  for (Request &request : requests) request.sequence.tokens.resize(static_cast<std::size_t>(request.sequence.done));
}

// The states of all requests when each comes whole, in one batch.
std::vector<std::vector<float>> prefill(Model &model, std::vector<Request> requests) {
  std::vector<Batch::Work> work;
  for (Request &request : requests) {
    request.sequence.done = 0;
    request.sequence.blocks.clear();
    work.push_back({&request.sequence, static_cast<int64_t>(request.sequence.tokens.size())});
  }
  const Floats states = model.run(work);
  std::vector<std::vector<float>> all;
  int64_t row = 0;
  for (const Batch::Work &part : work) {
    all.emplace_back(states.row(row), states.row(row + part.tokens));
    row += part.tokens;
  }
  return all;
}

// NaN counts as different.
double largest_difference(const float *a, const float *b, std::size_t count) {
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double difference = std::abs(double{a[i]} - double{b[i]});
    if (!(difference <= largest)) largest = std::isnan(difference) ? HUGE_VAL : difference;
  }
  return largest;
}

int run() {
  const bkr::registry registry = bkr::registry::open();
  Model model(registry);
  std::vector<Request> requests = make_requests();
  serve(model, requests);

  Model again(registry);
  const std::vector<std::vector<float>> whole = prefill(again, requests);
  // And once more with other first words: what came first must reach the last state, or the comparison says nothing.
  std::vector<Request> others = requests;
  for (Request &request : others) request.sequence.tokens[0] = (request.sequence.tokens[0] + 1) % int32_t{kWords};
  Model third(registry);
  const std::vector<std::vector<float>> other = prefill(third, others);

  bool same = true;
  for (std::size_t r = 0; r < requests.size(); ++r) {
    const std::vector<float> &states = requests[r].states;
    const double step_by_step =
        states.size() == whole[r].size() ? largest_difference(states.data(), whole[r].data(), states.size()) : HUGE_VAL;
    const std::size_t last = whole[r].size() - kHidden;
    const double by_first_word = largest_difference(whole[r].data() + last, other[r].data() + last, kHidden);
    std::cout << "request " << r << ": " << requests[r].sequence.tokens.size()
              << " tokens, step by step and at once differ by " << step_by_step
              << " at most; another first word changes the last state by " << by_first_word << '\n';
    same = same && step_by_step <= kTolerance && by_first_word > 20 * kTolerance;
  }
  std::cout << (same ? "The same: " : "NOT the same: ") << kSteps << " steps and one prefill\n";
  return same ? 0 : 1;
}

}  // namespace
}  // namespace engine

int main() try { return engine::run(); } catch (const bkr::error &error) {
  std::cerr << bkr::status_name(error.status()) << ": " << error.what() << '\n';
  return 1;
}
