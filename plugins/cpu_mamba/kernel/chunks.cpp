// SPDX-License-Identifier: Apache-2.0
#include "chunks.h"

#include <Eigen/Core>
#include <algorithm>
#include <limits>

#include "common/exp.h"
#include "gates.h"

namespace cpu {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using View = Eigen::Map<Matrix, 0, Eigen::OuterStride<>>;

// Below, products of query and key lose digits that the recurrence, which multiplies keys and values first, may have.
constexpr double kSmallestProduct = 0x1p-100;

// A float32 matrix in scratch memory. Rows begin `stride` floats apart, which is no power of two: rows a page apart
// would share their places in the caches.
struct Block {
  float *data = nullptr;
  int64_t stride = 0;

  float *row(int64_t i) const { return data + i * stride; }
  View part(int64_t rows, int64_t first_column, int64_t columns) const {
    return {data + first_column, rows, columns, Eigen::OuterStride<>(stride)};
  }
};

// Sums of the logs of decays in two floats each: the difference of two of them is then exact to a float's precision
// also where the sums are large and the difference small.
struct Sums {
  float *high, *low;

  float total(int64_t i) const { return high[i] + low[i]; }
};

// Scratch of one task. The values, outputs and states of all its heads stand side by side.
struct Space {
  Space(const Recurrence &r, int64_t heads, int64_t chunk, float *memory) {
    float *next = memory;
    const auto take = [&](int64_t count) {
      float *const taken = next;
      if (memory != nullptr) next += round_up(count);
      floats += round_up(count);
      return taken;
    };
    const auto block = [&](int64_t rows, int64_t columns) {
      constexpr int64_t kSkew = 16;
      Block made;
      made.stride = round_up(columns) + kSkew;
      made.data = take(rows * made.stride);
      return made;
    };
    head_stride = round_up(r.value_size);
    const int64_t width = heads * head_stride;
    const bool delta = r.kind == Recurrence::Kind::delta;
    query = block(chunk, r.key_size);
    key = block(chunk, r.key_size);
    value = block(chunk, width);
    out = block(chunk, width);
    state = block(r.key_size, width);
    scores = block(chunk, chunk);
    weights = block(chunk, chunk);
    if (delta) {
      overlaps = block(chunk, chunk);
      system = block(chunk, chunk);
      memory_of_keys = block(chunk, width);
    }
    sums = {take(chunk), take(chunk)};
    decay = take(chunk);
    factor = take(chunk);
    row = take(std::max(head_stride, round_up(r.key_size)));
  }

  int64_t floats = 0;
  int64_t head_stride = 0;
  Block query, key, value, out, state;
  Block scores, weights;   // q k^T, and that with decays
  Block overlaps, system;  // k k^T, and that with decays
  Block memory_of_keys;    // k S
  Sums sums{};
  float *decay = nullptr, *factor = nullptr, *row = nullptr;
};

class TaskRun {
 public:
  TaskRun(const Recurrence &recurrence, const HeadTask &task, const Space &space)
      : r_(recurrence),
        task_(task),
        s_(space),
        width_(task.heads * space.head_stride),
        delta_(recurrence.kind == Recurrence::Kind::delta) {}

  void run(int64_t chunk) {
    const int64_t begin = r_.batch.requests.begin(task_.request);
    const int64_t tokens = r_.batch.requests.tokens(task_.request);
    read_state();
    for (int64_t done = 0; done < tokens; done += chunk) {
      const int64_t count = std::min(chunk, tokens - done);
      read(begin + done, count);
      if (products_stand_for(begin + done, count)) {
        work(begin + done, count);
        continue;
      }
      for (int64_t t = 0; t < count; ++t) {
        read(begin + done + t, 1);
        step(begin + done + t);
      }
    }
    write_state();
  }

 private:
  float *of_head(const Block &block, int64_t row, int64_t head) const { return block.row(row) + head * s_.head_stride; }
  View part_of_head(const Block &block, int64_t rows, int64_t head) const {
    return block.part(rows, head * s_.head_stride, r_.value_size);
  }

  // Queries, keys and w, but for the delta rule the values of which w will be made.
  void read(int64_t token, int64_t count) {
    read_queries(r_, token, count, task_.group, s_.query.data, s_.query.stride);
    read_keys(r_, token, count, task_.group, s_.key.data, s_.key.stride);
    for (int64_t t = 0; t < count; ++t) {
      for (int64_t h = 0; h < task_.heads; ++h) {
        read_value(r_, token + t, task_.first_head + h, of_head(s_.value, t, h));
      }
    }
    if (r_.kind != Recurrence::Kind::scan) return;
    for (int64_t h = 0; h < task_.heads; ++h) {
      read_gates(r_, token, count, task_.first_head + h, s_.decay, s_.factor);
      for (int64_t t = 0; t < count; ++t) multiply(of_head(s_.value, t, h), s_.factor[t]);
    }
  }

  // Makes the products of the queries, and says whether the chunk may be computed with them. Not if anything is
  // infinite or no number, which a weight of 0 does not silence: alone, a token can harm only what comes after it. And
  // not if q . k is beyond float32 where the recurrence, which multiplies k and w first, may be well within it.
  bool products_stand_for(int64_t token, int64_t count) {
    for (int64_t h = 0; h < task_.heads; ++h) {
      if (!finite_gates(r_, token, count, task_.first_head + h)) return false;
    }
    if (!delta_ && smallest_row(s_.query, count) * smallest_row(s_.key, count) < kSmallestProduct) return false;
    multiply_queries(count);
    Floats doubt{};  // 0 times a finite number is 0, and no number otherwise
    const auto look = [&](const Block &block, int64_t size) {
      for (int64_t t = 0; t < count; ++t) {
        for (int64_t i = 0; i < size; i += kLanes) doubt += load(block.row(t) + i) * 0.0f;
      }
    };
    look(s_.value, width_);
    look(s_.out, width_);
    look(s_.scores, count);
    return sum(doubt) == 0.0f;
  }

  // Of the rows' largest elements the smallest but 0.
  double smallest_row(const Block &block, int64_t count) const {
    float smallest = std::numeric_limits<float>::max();
    for (int64_t t = 0; t < count; ++t) {
      Floats sizes{};
      for (int64_t i = 0; i < r_.key_size; i += kLanes) {
        sizes = max(sizes, max(load(block.row(t) + i), -load(block.row(t) + i)));
      }
      if (const float of_row = largest(sizes); of_row > 0.0f) smallest = std::min(smallest, of_row);
    }
    return static_cast<double>(smallest);
  }

  void multiply_queries(int64_t count) {
    const auto query = s_.query.part(count, 0, r_.key_size);
    s_.scores.part(count, 0, count).noalias() = query * s_.key.part(count, 0, r_.key_size).transpose();
    for (int64_t t = 0; t < count; ++t) std::fill(s_.scores.row(t) + count, s_.scores.row(t) + round_up(count), 0.0f);
    s_.out.part(count, 0, width_).noalias() = query * s_.state.part(r_.key_size, 0, width_);
  }

  void work(int64_t token, int64_t count) {
    const auto key = s_.key.part(count, 0, r_.key_size);
    auto state = s_.state.part(r_.key_size, 0, width_);
    if (delta_) {
      s_.overlaps.part(count, 0, count).noalias() = key * key.transpose();
      s_.memory_of_keys.part(count, 0, width_).noalias() = key * state;
    }
    for (int64_t h = 0; h < task_.heads; ++h) work_on_head(token, count, h);
    state.noalias() += key.transpose() * s_.value.part(count, 0, width_);
  }

  // One token, as the recurrence says it; the delta rule, whose queries and keys are normalised, as a chunk of one.
  void step(int64_t token) {
    if (delta_) {
      multiply_queries(1);
      return work(token, 1);
    }
    for (int64_t h = 0; h < task_.heads; ++h) {
      read_gates(r_, token, 1, task_.first_head + h, s_.decay, s_.factor);
      map_row(s_.decay, 1, [](Floats log) { return exp(log); });
      for (int64_t n = 0; n < r_.key_size; ++n) multiply(of_head(s_.state, n, h), s_.decay[0]);
    }
    auto state = s_.state.part(r_.key_size, 0, width_);
    state.noalias() += s_.key.part(1, 0, r_.key_size).transpose() * s_.value.part(1, 0, width_);
    s_.out.part(1, 0, width_).noalias() = s_.query.part(1, 0, r_.key_size) * state;
    for (int64_t h = 0; h < task_.heads; ++h) {
      write_out(r_, token, task_.first_head + h, of_head(s_.out, 0, h), s_.row);
    }
  }

  // All but the last product, for which it leaves e^(c[last] - c[j]) w[j] in value, and e^c[last] S in state.
  void work_on_head(int64_t token, int64_t count, int64_t h) {
    const int64_t head = task_.first_head + h;
    read_gates(r_, token, count, head, s_.decay, s_.factor);
    add_up(count);
    weigh(count);
    for (int64_t t = 0; t < count; ++t) s_.decay[t] = s_.sums.total(t);
    map_row(s_.decay, count, [](Floats log) { return exp(log); });
    if (delta_) solve(count, h);
    for (int64_t t = 0; t < count; ++t) multiply(of_head(s_.out, t, h), s_.decay[t]);
    part_of_head(s_.out, count, h).noalias() += s_.weights.part(count, 0, count) * part_of_head(s_.value, count, h);
    for (int64_t t = 0; t < count; ++t) write_out(r_, token + t, head, of_head(s_.out, t, h), s_.row);
    hand_over(count, h);
  }

  void add_up(int64_t count) {
    double total = 0.0;
    for (int64_t t = 0; t < count; ++t) {
      total += static_cast<double>(s_.decay[t]);
      s_.sums.high[t] = static_cast<float>(total);
      s_.sums.low[t] = static_cast<float>(total - static_cast<double>(s_.sums.high[t]));
    }
    std::fill(s_.sums.high + count, s_.sums.high + round_up(count), 0.0f);
    std::fill(s_.sums.low + count, s_.sums.low + round_up(count), 0.0f);
  }

  // c[i] - c[j] for kLanes of the j.
  Floats difference(int64_t i, int64_t j) const {
    return (s_.sums.high[i] - load(s_.sums.high + j)) + (s_.sums.low[i] - load(s_.sums.low + j));
  }

  // weights[i, j] = e^(c[i] - c[j]) scores[i, j] for j <= i, 0 behind; and for the delta rule the system of equations,
  // of which only what is below the diagonal is read.
  void weigh(int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      float *weights = s_.weights.row(i);
      const float *scores = s_.scores.row(i);
      for (int64_t j = 0; j <= i; j += kLanes) {
        const Floats decay = exp(difference(i, j));
        store(weights + j, decay * load(scores + j));
        if (delta_) store(s_.system.row(i) + j, s_.factor[i] * decay * load(s_.overlaps.row(i) + j));
      }
      std::fill(weights + i + 1, weights + round_up(count), 0.0f);
    }
  }

  void multiply(float *row, float by) const {
    for (int64_t i = 0; i < r_.value_size; i += kLanes) store(row + i, load(row + i) * by);
  }

  void solve(int64_t count, int64_t h) {
    for (int64_t t = 0; t < count; ++t) {
      float *value = of_head(s_.value, t, h);
      const float *memory = of_head(s_.memory_of_keys, t, h);
      for (int64_t i = 0; i < r_.value_size; i += kLanes) {
        store(value + i, s_.factor[t] * (load(value + i) - s_.decay[t] * load(memory + i)));
      }
    }
    auto values = part_of_head(s_.value, count, h);
    s_.system.part(count, 0, count).triangularView<Eigen::UnitLower>().solveInPlace(values);
  }

  void hand_over(int64_t count, int64_t h) {
    const float last = s_.decay[count - 1];
    for (int64_t j = 0; j < count; j += kLanes) store(s_.factor + j, exp(difference(count - 1, j)));
    for (int64_t t = 0; t < count; ++t) multiply(of_head(s_.value, t, h), s_.factor[t]);
    for (int64_t n = 0; n < r_.key_size; ++n) multiply(of_head(s_.state, n, h), last);
  }

  // Calls fn(head of the task, its state as a matrix of keys by values).
  template <class Fn>
  void for_each_head(Fn &&fn) {
    for (int64_t h = 0; h < task_.heads; ++h) fn(task_.first_head + h, part_of_head(s_.state, r_.key_size, h));
  }

  void read_state() {
    for (int64_t n = 0; n < r_.key_size; ++n) std::fill_n(s_.state.row(n), width_, 0.0f);
    if (!r_.batch.has_initial_state(task_.request)) return;
    const int64_t slot = r_.batch.slot(task_.request);
    for_each_head([&](int64_t head, View state) {
      const int64_t size = r_.rows_are_keys() ? r_.value_size : r_.key_size;
      for (int64_t i = 0; i < (r_.rows_are_keys() ? r_.key_size : r_.value_size); ++i) {
        read_row(r_.state.row(slot, head, i), r_.state.element, size, s_.row);
        const Eigen::Map<const Eigen::RowVectorXf> row(s_.row, size);
        if (r_.rows_are_keys()) {
          state.row(i) = row;
        } else {
          state.col(i) = row.transpose();
        }
      }
    });
  }

  void write_state() {
    const int64_t slot = r_.batch.slot(task_.request);
    for_each_head([&](int64_t head, View state) {
      const int64_t size = r_.rows_are_keys() ? r_.value_size : r_.key_size;
      Eigen::Map<Eigen::RowVectorXf> row(s_.row, size);
      for (int64_t i = 0; i < (r_.rows_are_keys() ? r_.key_size : r_.value_size); ++i) {
        if (r_.rows_are_keys()) {
          row = state.row(i);
        } else {
          row = state.col(i).transpose();
        }
        write_row(s_.row, size, r_.state.row(slot, head, i), r_.state.element);
      }
    });
  }

  const Recurrence &r_;
  const HeadTask &task_;
  const Space &s_;
  const int64_t width_;
  const bool delta_;
};

}  // namespace

int64_t floats_in_chunks(const Recurrence &r, int64_t heads, int64_t chunk) {
  return Space(r, heads, chunk, nullptr).floats;
}

void run_in_chunks(const Recurrence &r, const HeadTask &task, int64_t chunk, float *memory) {
  const Space space(r, task.heads, chunk, memory);
  TaskRun(r, task, space).run(chunk);
}

}  // namespace cpu
