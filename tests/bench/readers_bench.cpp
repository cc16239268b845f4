// SPDX-License-Identifier: Apache-2.0
// Readers beside a writer that overrides members again and again, at a pace: with fewer processors than threads a
// writer without a pause would only take the readers' time. The time of a reader is that in which it ran.
#include <benchmark/benchmark.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "names.h"

namespace {

using namespace bkr::bench;

// Overrides a hundred members, 100 µs apart, until it is destroyed.
class Writer {
 public:
  explicit Writer(void (*write)(std::size_t))
      : thread_([this, write] {
          for (std::size_t i = 0; !stop_; ++i) {
            write(i);
            std::this_thread::sleep_for(std::chrono::microseconds(100));
          }
        }) {}
  ~Writer() {
    stop_ = true;
    thread_.join();
  }
  Writer(const Writer &) = delete;
  Writer &operator=(const Writer &) = delete;

 private:
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

const char *text_of(std::size_t i) { return registry().paths[i % 7].c_str(); }
void write_ours(std::size_t i) {
  if (bkr_member_override(registry().members[i % 100], text_of(i), nullptr) != BKR_OK) give_up("bkr_member_override");
}
void write_rival(std::size_t i) { locked_map().set(registry().names[i % 100], text_of(i)); }

template <void (*kWrite)(std::size_t), typename Read>
void read_beside_a_writer(benchmark::State &state, Read read) {
  static std::unique_ptr<Writer> writer;  // the first thread's; the others wait for it at the loop's begin and end
  if (state.thread_index() == 0) writer = std::make_unique<Writer>(kWrite);
  std::size_t i = static_cast<std::size_t>(state.thread_index()) * kMembers / 2;
  for (auto _ : state) {
    read(i);
    if (++i == kMembers) i = 0;
  }
  if (state.thread_index() == 0) writer.reset();
  state.SetItemsProcessed(state.iterations());
}

void find_beside_a_writer(benchmark::State &state) {
  const Registry &r = registry();
  read_beside_a_writer<write_ours>(state, [&](std::size_t i) {
    bkr_member *member = nullptr;
    if (bkr_member_find(r.family, r.names[i].c_str(), &member, nullptr) != BKR_OK) give_up("bkr_member_find");
    benchmark::DoNotOptimize(member);
  });
}

void path_beside_a_writer(benchmark::State &state) {
  const Registry &r = registry();
  read_beside_a_writer<write_ours>(state, [&](std::size_t i) {
    const char *path = nullptr;
    if (bkr_member_path(r.members[i], &path, nullptr) != BKR_OK) give_up("bkr_member_path");
    benchmark::DoNotOptimize(path);
  });
}

void rival_beside_a_writer(benchmark::State &state) {
  const LockedMap &map = locked_map();
  const Registry &r = registry();
  read_beside_a_writer<write_rival>(state, [&](std::size_t i) {
    const std::string *path = map.find(r.names[i]);
    benchmark::DoNotOptimize(path);
  });
}

BENCHMARK(find_beside_a_writer)->UseRealTime()->ThreadRange(1, 2);
BENCHMARK(path_beside_a_writer)->UseRealTime()->ThreadRange(1, 2);
BENCHMARK(rival_beside_a_writer)->UseRealTime()->ThreadRange(1, 2);

}  // namespace
