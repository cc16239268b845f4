// SPDX-License-Identifier: Apache-2.0
// Finding names, reading paths and overriding them, beside the registry that one would write by hand. All across the
// library's boundary, with 1,000 members.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "names.h"

namespace {

using namespace bkr::bench;

void find_by_name(benchmark::State &state) {
  Registry &r = registry();
  std::size_t i = 0;
  for (auto _ : state) {
    bkr_member *member = nullptr;
    if (bkr_member_find(r.family, r.names[i].c_str(), &member, nullptr) != BKR_OK) give_up("bkr_member_find");
    benchmark::DoNotOptimize(member);
    if (++i == kMembers) i = 0;
  }
  state.counters["heap_bytes_per_member"] = r.bytes_per_member;
}

// How it grows: the same among the 100 of another registry.
void find_by_name_of_100(benchmark::State &state) {
  static const Registry *const small = new Registry(100);
  std::size_t i = 0;
  for (auto _ : state) {
    bkr_member *member = nullptr;
    if (bkr_member_find(small->family, small->names[i].c_str(), &member, nullptr) != BKR_OK) give_up("bkr_member_find");
    benchmark::DoNotOptimize(member);
    if (++i == 100) i = 0;
  }
}

void find_by_name_rival(benchmark::State &state) {
  const LockedMap &map = locked_map();
  const Registry &r = registry();
  std::size_t i = 0;
  for (auto _ : state) {
    const std::string *path = map.find(r.names[i]);
    benchmark::DoNotOptimize(path);
    if (++i == kMembers) i = 0;
  }
}

// What any call into the library costs on this machine: the yardstick for those below.
void call_nothing(benchmark::State &state) {
  for (auto _ : state) benchmark::DoNotOptimize(bkr_abi_version());
}

void read_path(benchmark::State &state) {
  const bkr_member *member = registry().members[7];
  for (auto _ : state) {
    const char *path = nullptr;
    if (bkr_member_path(member, &path, nullptr) != BKR_OK) give_up("bkr_member_path");
    benchmark::DoNotOptimize(path);
  }
}

void read_path_rival(benchmark::State &state) {
  const LockedMap &map = locked_map();
  const std::string &name = registry().names[7];
  for (auto _ : state) {
    const std::string path = map.get(name);
    benchmark::DoNotOptimize(path.data());
  }
}

// Puts one of two texts that were seen before in place of the default. With a second thread (below), that one reads
// the same member all the time.
void override_seen_text(benchmark::State &state) {
  Registry &r = registry();
  bkr_member *member = r.members[7];
  bool other = false;
  for (auto _ : state) {
    other = !other;
    if (bkr_member_override(member, r.paths[other ? 1 : 2].c_str(), nullptr) != BKR_OK) give_up("bkr_member_override");
  }
}

void override_rival(benchmark::State &state) {
  LockedMap &map = locked_map();
  const Registry &r = registry();
  bool other = false;
  for (auto _ : state) {
    other = !other;
    map.set(r.names[7], r.paths[other ? 1 : 2]);
  }
}

// A reader of one member beside a writer that overrides it without a pause; the time is the reader's.
template <void (*kWrite)(std::size_t), void (*kRead)()>
void read_beside_a_writer(benchmark::State &state) {
  if (state.thread_index() == 0) {
    for (auto _ : state) kRead();
  } else {
    std::size_t i = 0;
    for (auto _ : state) kWrite(++i);
  }
}

void write_ours(std::size_t i) {
  bkr_member_override(registry().members[7], registry().paths[1 + i % 2].c_str(), nullptr);
}
void read_ours() {
  const char *path = nullptr;
  bkr_member_path(registry().members[7], &path, nullptr);
  benchmark::DoNotOptimize(path);
}
void write_rival(std::size_t i) { locked_map().set(registry().names[7], registry().paths[1 + i % 2]); }
void read_rival() { benchmark::DoNotOptimize(locked_map().get(registry().names[7]).size()); }

BENCHMARK(find_by_name);
BENCHMARK(find_by_name_of_100);
BENCHMARK(find_by_name_rival);
BENCHMARK(call_nothing);
BENCHMARK(read_path);
BENCHMARK(read_path_rival);
BENCHMARK(override_seen_text);
BENCHMARK(override_rival);
BENCHMARK(read_beside_a_writer<write_ours, read_ours>)->Threads(2);
BENCHMARK(read_beside_a_writer<write_rival, read_rival>)->Threads(2);

// Prints the usual table, and under it each measured time beside its rival's and its limit.
class Ratios : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run> &runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run &run : runs) {
      const bool is_median = run.run_type == Run::RT_Aggregate && run.aggregate_name == "median";
      if (run.run_type == Run::RT_Iteration || is_median) times_[run.run_name.function_name] = run.GetAdjustedCPUTime();
    }
  }
  void Finalize() override {
    struct Row {
      const char *what, *ours, *rival;
      double limit;
    };
    const Row rows[] = {{"find a name among 1,000", "find_by_name", "find_by_name_rival", 14},
                        {"read a path by handle", "read_path", "read_path_rival", 2},
                        {"override with a text seen before", "override_seen_text", "override_rival", 100}};
    std::printf("\n%-34s %9s %9s %9s %7s\n", "", "ours ns", "limit ns", "rival ns", "rival/ours");
    for (const Row &row : rows) {
      const double ours = times_[row.ours];
      const double rival = times_[row.rival];
      std::printf("%-34s %9.1f %9.0f %9.1f %7.1f x\n", row.what, ours, row.limit, rival, rival / ours);
    }
    std::printf("%-34s %9.1f\n", "a call that does nothing", times_["call_nothing"]);
    std::printf("%-34s %9.1f %9.0f\n", "heap a member beyond its strings, B", registry().bytes_per_member, 96.0);
    std::printf("rival: std::unordered_map<std::string, std::string> behind a std::shared_mutex\n");
  }

 private:
  std::map<std::string, double> times_;
};

}  // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  registry();
  Ratios ratios;
  benchmark::RunSpecifiedBenchmarks(&ratios);
  benchmark::Shutdown();
}
