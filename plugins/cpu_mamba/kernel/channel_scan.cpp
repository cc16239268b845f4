// SPDX-License-Identifier: Apache-2.0
#include "channel_scan.h"

#include <algorithm>
#include <vector>

#include "common/exp.h"
#include "gates.h"

namespace cpu {
namespace {

constexpr int64_t kChannels =
    256;                         // of a task: each token's lie in a page of their own, which is to be worth its look-up
constexpr int64_t kTokens = 32;  // that are read together
constexpr int64_t kFewTokens = 4;  // up to here the state's rows are worked on as they lie, not lane by lane
constexpr int kRows = 4;

// Some channels of one group, in one request.
struct Task {
  int64_t request;
  int64_t group;
  int64_t first, count;
};

// Scratch of one task.
struct Space {
  Space(int64_t state_size, float *memory) : size(round_up(state_size)) {
    float *next = memory;
    const auto take = [&](int64_t count) {
      float *const taken = next;
      if (memory != nullptr) next += round_up(count);
      floats += round_up(count);
      return taken;
    };
    A = take(kChannels * size);
    state = take(kChannels * size);
    B = take(kTokens * size);
    C = take(kTokens * size);
    step = take(kTokens * kChannels);
    input = take(kTokens * kChannels);
    out = take(kTokens * kChannels);
    skip = take(kChannels);
    bias = take(kChannels);
    row = take(std::max(size, kChannels));
  }

  int64_t size;  // of a row of the state
  int64_t floats = 0;
  float *A;
  float *state;
  float *B, *C;               // rows of `size`
  float *step, *input, *out;  // rows of kChannels: d, d x, out
  float *skip, *bias, *row;
};

class TaskRun {
 public:
  TaskRun(const ChannelScan &scan, const Task &task, const Space &space)
      : c_(scan),
        task_(task),
        s_(space),
        begin_(scan.batch.requests.begin(task.request)),
        tokens_(scan.batch.requests.tokens(task.request)),
        by_lanes_(tokens_ > kFewTokens) {}

  void run() {
    for (int64_t d = 0; d < task_.count; ++d) {
      s_.skip[d] = c_.D ? c_.D(task_.first + d) : 0.0f;
      s_.bias[d] = c_.dt_bias ? c_.dt_bias(task_.first + d) : 0.0f;
    }
    read_matrices();
    for (int64_t done = 0; done < tokens_; done += kTokens) {
      const int64_t count = std::min(kTokens, tokens_ - done);
      read(begin_ + done, count);
      if (by_lanes_) {
        for (int64_t d = 0; d < task_.count; d += kLanes) scan_lanes(count, d);
      } else {
        int64_t d = 0;
        for (; d + kRows <= task_.count; d += kRows) scan_rows<kRows>(count, d);
        for (; d < task_.count; ++d) scan_rows<1>(count, d);
      }
      for (int64_t t = 0; t < count; ++t) write(begin_ + done + t, t);
    }
    write_state();
  }

 private:
  // With lanes: where channel d begins, kLanes channels side by side and each kLanes floats behind its last element.
  int64_t place(int64_t d) const { return d / kLanes * kLanes * s_.size + d % kLanes; }

  void read_into_lanes(const std::byte *from, Element element, int64_t d, float *matrix) const {
    read_row(from, element, c_.state_size, s_.row);
    float *to = matrix + place(d);
    for (int64_t n = 0; n < c_.state_size; ++n) to[n * kLanes] = s_.row[n];
  }

  // Decoding reads A where it lies, if its rows are whole vectors.
  bool A_is_copied() const { return by_lanes_ || c_.state_size % kLanes != 0; }
  const float *row_of_A(int64_t d) const {
    if (A_is_copied()) return s_.A + d * s_.size;
    return reinterpret_cast<const float *>(c_.A.row(task_.first + d, 0));
  }

  void read_matrices() {
    const bool initial = c_.batch.has_initial_state(task_.request);
    const int64_t slot = c_.batch.slot(task_.request);
    if (by_lanes_ || !initial) std::fill_n(s_.state, round_up(task_.count) * s_.size, 0.0f);
    if (by_lanes_) std::fill_n(s_.A, round_up(task_.count) * s_.size, 0.0f);
    for (int64_t d = 0; d < task_.count; ++d) {
      const std::byte *A = c_.A.row(task_.first + d, 0);
      const std::byte *state = c_.state.row(slot, task_.first + d);
      if (by_lanes_) {
        read_into_lanes(A, Element::float32, d, s_.A);
        if (initial) read_into_lanes(state, c_.state.element, d, s_.state);
        continue;
      }
      if (A_is_copied()) read_row(A, Element::float32, c_.state_size, s_.A + d * s_.size);
      if (initial) read_row(state, c_.state.element, c_.state_size, s_.state + d * s_.size);
    }
  }

  void write_state() {
    const int64_t slot = c_.batch.slot(task_.request);
    for (int64_t d = 0; d < task_.count; ++d) {
      const float *row = s_.state + d * s_.size;
      if (by_lanes_) {
        const float *from = s_.state + place(d);
        for (int64_t n = 0; n < c_.state_size; ++n) s_.row[n] = from[n * kLanes];
        row = s_.row;
      }
      write_row(row, c_.state_size, c_.state.row(slot, task_.first + d), c_.state.element);
    }
  }

  void read_channels(const HeadRows &rows, int64_t token, float *to) const {
    read_row(rows.row(token, 0) + task_.first * size_of(rows.element), rows.element, task_.count, to);
  }

  void read(int64_t token, int64_t count) {
    for (int64_t t = 0; t < count; ++t) {
      read_row(c_.B.row(token + t, task_.group), c_.B.element, c_.state_size, s_.B + t * s_.size);
      read_row(c_.C.row(token + t, task_.group), c_.C.element, c_.state_size, s_.C + t * s_.size);
      float *step = s_.step + t * kChannels;
      float *input = s_.input + t * kChannels;
      read_channels(c_.dt, token + t, step);
      read_channels(c_.x, token + t, input);
      for (int64_t d = 0; d < task_.count; d += kLanes) {
        const Floats gate = load(step + d) + load(s_.bias + d);
        const Floats used = c_.dt_softplus ? softplus(gate) : gate;
        const Floats x = load(input + d);
        store(step + d, used);
        store(input + d, used * x);
        store(s_.out + t * kChannels + d, load(s_.skip + d) * x);
      }
    }
  }

  void scan_lanes(int64_t count, int64_t d) {
    const float *A = s_.A + place(d);
    float *state = s_.state + place(d);
    for (int64_t t = 0; t < count; ++t) {
      const Floats step = load(s_.step + t * kChannels + d) * kLog2OfE;
      const Floats input = load(s_.input + t * kChannels + d);
      const float *B = s_.B + t * s_.size;
      const float *C = s_.C + t * s_.size;
      Floats out = load(s_.out + t * kChannels + d);
      for (int64_t n = 0; n < c_.state_size; ++n) {
        const Floats h = exp2_any(step * load(A + n * kLanes)) * load(state + n * kLanes) + input * B[n];
        store(state + n * kLanes, h);
        out += h * C[n];
      }
      store(s_.out + t * kChannels + d, out);
    }
  }

  template <int R>
  void scan_rows(int64_t count, int64_t d) {
    const float *A[R];
    for (int r = 0; r < R; ++r) A[r] = row_of_A(d + r);
    for (int64_t t = 0; t < count; ++t) {
      Floats total[R];
      for (int r = 0; r < R; ++r) total[r] = Floats{};
      for (int64_t n = 0; n < c_.state_size; n += kLanes) {
        const Floats b = load(s_.B + t * s_.size + n);
        const Floats c = load(s_.C + t * s_.size + n);
        for (int r = 0; r < R; ++r) {
          const int64_t at = (d + r) * s_.size + n;
          const float step = s_.step[t * kChannels + d + r] * kLog2OfE;
          const Floats decay = exp2_any(step * load(A[r] + n));
          const Floats h = decay * load(s_.state + at) + s_.input[t * kChannels + d + r] * b;
          store(s_.state + at, h);
          total[r] += h * c;
        }
      }
      float sums[R];
      sum_each<R>(total, sums);
      for (int r = 0; r < R; ++r) s_.out[t * kChannels + d + r] += sums[r];
    }
  }

  void write(int64_t token, int64_t t) {
    float *out = s_.out + t * kChannels;
    if (c_.z) {
      read_channels(c_.z, token, s_.row);
      for (int64_t d = 0; d < task_.count; d += kLanes) store(out + d, load(out + d) * silu(load(s_.row + d)));
    }
    write_row(out, task_.count, c_.out.row(token, 0) + task_.first * size_of(c_.out.element), c_.out.element);
  }

  const ChannelScan &c_;
  const Task &task_;
  const Space &s_;
  const int64_t begin_;
  const int64_t tokens_;
  const bool by_lanes_;
};

}  // namespace

void run(const ChannelScan &scan, Scratch &scratch, const bkr::threads &threads) {
  const int64_t group_size = scan.channels / scan.groups;
  std::vector<Task> tasks;
  for (int64_t r = 0; r < scan.batch.requests.count; ++r) {
    if (!scan.batch.has_work(r)) continue;
    for (int64_t group = 0; group < scan.groups; ++group) {
      for (int64_t d = 0; d < group_size; d += kChannels) {
        tasks.push_back({r, group, group * group_size + d, std::min(kChannels, group_size - d)});
      }
    }
  }
  if (tasks.empty()) return;
  const auto count = static_cast<int64_t>(tasks.size());
  const int64_t workers = std::min(count, threads.worker_count());
  const int64_t floats = Space(scan.state_size, nullptr).floats;
  float *memory = scratch.floats(floats * workers);
  threads.for_each(count, workers, [&](int64_t task, int64_t worker) {
    const Space space(scan.state_size, memory + worker * floats);
    TaskRun(scan, tasks[static_cast<std::size_t>(task)], space).run();
  });
}

}  // namespace cpu
