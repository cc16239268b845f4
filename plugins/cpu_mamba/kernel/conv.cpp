// SPDX-License-Identifier: Apache-2.0
#include "conv.h"

#include <algorithm>
#include <vector>

#include "common/exp.h"

namespace cpu {
namespace {

// Channels of a task: a row of that many floats, for each tap one of weights and one of u, stay in the first cache.
constexpr int64_t kChannels = 256;

struct Task {
  int64_t request;
  int64_t first, count;  // channels
};

// One task's scratch: rows of kChannels floats.
class Space {
 public:
  static int64_t floats(int64_t taps) { return (2 * taps + 3) * kChannels; }
  Space(float *memory, int64_t taps) : memory_(memory), taps_(taps) {}

  float *weight(int64_t tap) const { return memory_ + tap * kChannels; }
  // Columns of u, in a ring of `taps` of them.
  float *column(int64_t token) const { return memory_ + (taps_ + (token + taps_) % taps_) * kChannels; }
  float *bias() const { return memory_ + 2 * taps_ * kChannels; }
  float *gate() const { return bias() + kChannels; }
  float *out() const { return gate() + kChannels; }

 private:
  float *memory_;
  int64_t taps_;
};

class TaskRun {
 public:
  TaskRun(const Conv &conv, const Task &task, const Space &space) : c_(conv), task_(task), space_(space) {}

  // `weights_of` is the first of the channels whose weights the space holds, or -1: decoding many requests would spend
  // its time on turning the same weights round and round.
  void run(int64_t &weights_of) {
    const int64_t begin = c_.batch.requests.begin(task_.request);
    const int64_t count = c_.batch.requests.tokens(task_.request);
    if (weights_of != task_.first) read_weights();
    weights_of = task_.first;
    read_state();
    for (int64_t t = 0; t < count; ++t) {
      read_row(c_.x, begin + t, space_.column(t));
      if (c_.input_gate) {
        read_row(c_.input_gate, begin + t, space_.gate());
        multiply(space_.column(t), space_.gate());
      }
      sum(t);
      if (c_.silu) map_row(space_.out(), task_.count, [](Floats v) { return cpu::silu(v); });
      if (c_.output_gate) {
        read_row(c_.output_gate, begin + t, space_.gate());
        multiply(space_.out(), space_.gate());
      }
      write_row(begin + t);
    }
    write_state(count);
  }

 private:
  void read_weights() {
    with_element(c_.weight.element, [&](auto zero) {
      for (int64_t d = 0; d < task_.count; ++d) {
        const auto *row = reinterpret_cast<const decltype(zero) *>(c_.weight.row(task_.first + d, 0));
        for (int64_t i = 0; i < c_.taps; ++i) space_.weight(i)[d] = static_cast<float>(row[i]);
      }
    });
    for (int64_t d = 0; d < task_.count; ++d) space_.bias()[d] = c_.bias ? c_.bias(task_.first + d) : 0.0f;
  }

  // Calls fn(element of the state, float of the column) for the taps - 1 columns that come before token `end`.
  template <class Fn>
  void with_state(int64_t end, Fn &&fn) {
    const Columns &s = c_.state;
    std::byte *slot = s.data + c_.batch.slot(task_.request) * s.slot_stride + task_.first * s.channel_stride;
    with_element(s.element, [&](auto zero) {
      for (int64_t i = 0; i + 1 < c_.taps; ++i) {
        float *column = space_.column(end - (c_.taps - 1) + i);
        std::byte *from = slot + i * s.column_stride;
        for (int64_t d = 0; d < task_.count; ++d) {
          fn(*reinterpret_cast<decltype(zero) *>(from + d * s.channel_stride), column[d]);
        }
      }
    });
  }

  void read_state() {
    if (c_.batch.has_initial_state(task_.request)) {
      with_state(0, [](auto &element, float &u) { u = static_cast<float>(element); });
      return;
    }
    for (int64_t i = 1; i < c_.taps; ++i) std::fill_n(space_.column(-i), task_.count, 0.0f);
  }

  void write_state(int64_t tokens) {
    with_state(tokens,
               [](auto &element, float &u) { element = static_cast<std::remove_reference_t<decltype(element)>>(u); });
  }

  void read_row(const HeadRows &rows, int64_t token, float *to) {
    with_element(rows.element, [&](auto zero) {
      widen_row(reinterpret_cast<const decltype(zero) *>(rows.row(token, 0)) + task_.first, task_.count, to);
    });
  }

  void write_row(int64_t token) {
    with_element(c_.out.element, [&](auto zero) {
      narrow_row(space_.out(), task_.count, reinterpret_cast<decltype(zero) *>(c_.out.row(token, 0)) + task_.first);
    });
  }

  void multiply(float *row, const float *by) {
    for (int64_t d = 0; d < task_.count; d += kLanes) store(row + d, load(row + d) * load(by + d));
  }

  void sum(int64_t token) {
    if (c_.taps == 4) return sum_of_four(token);
    std::copy_n(space_.bias(), round_up(task_.count), space_.out());
    for (int64_t i = 0; i < c_.taps; ++i) {
      const float *u = space_.column(token - (c_.taps - 1) + i);
      const float *w = space_.weight(i);
      float *out = space_.out();
      for (int64_t d = 0; d < task_.count; d += kLanes) store(out + d, load(out + d) + load(w + d) * load(u + d));
    }
  }

  // Nearly all models have four taps.
  void sum_of_four(int64_t token) {
    const float *u[4];
    const float *w[4];
    for (int64_t i = 0; i < 4; ++i) {
      u[i] = space_.column(token - 3 + i);
      w[i] = space_.weight(i);
    }
    const float *bias = space_.bias();
    float *out = space_.out();
    for (int64_t d = 0; d < task_.count; d += kLanes) {
      Floats total = load(bias + d);
      for (int i = 0; i < 4; ++i) total += load(w[i] + d) * load(u[i] + d);
      store(out + d, total);
    }
  }

  const Conv &c_;
  const Task &task_;
  const Space space_;
};

}  // namespace

void run(const Conv &conv, Scratch &scratch, const bkr::threads &threads) {
  std::vector<Task> tasks;
  for (int64_t d = 0; d < conv.channels; d += kChannels) {
    for (int64_t r = 0; r < conv.batch.requests.count; ++r) {
      if (conv.batch.has_work(r)) tasks.push_back({r, d, std::min(kChannels, conv.channels - d)});
    }
  }
  if (tasks.empty()) return;
  const auto count = static_cast<int64_t>(tasks.size());
  const int64_t workers = std::min(count, threads.worker_count());
  const int64_t floats = Space::floats(conv.taps);
  float *memory = scratch.floats(floats * workers);
  std::vector<int64_t> weights_of(static_cast<std::size_t>(workers), -1);
  threads.for_each(count, workers, [&](int64_t task, int64_t worker) {
    TaskRun(conv, tasks[static_cast<std::size_t>(task)], Space(memory + worker * floats, conv.taps))
        .run(weights_of[static_cast<std::size_t>(worker)]);
  });
}

}  // namespace cpu
