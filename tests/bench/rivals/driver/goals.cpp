// SPDX-License-Identifier: Apache-2.0
#include "goals.h"

namespace rivals {

namespace {

class List {
 public:
  explicit List(const Runs &runs) : runs_(runs) {}

  // How often b fits into a.
  void ratio(const std::string &what, decltype(Goal::kind) kind, double limit, const std::string &a,
             const std::string &b) {
    add(what, "x", kind, limit, has(a, b) ? std::optional(spread_of(ratios(runs_.at(a), runs_.at(b)))) : std::nullopt);
  }
  void difference(const std::string &what, const std::string &unit, double limit, const std::string &a,
                  const std::string &b, double scale) {
    std::optional<Spread> measured;
    if (has(a, b)) measured = scaled(spread_of(differences(runs_.at(a), runs_.at(b))), scale);
    add(what, unit, Goal::kAtMost, limit, measured);
  }
  void value(const std::string &what, const std::string &unit, decltype(Goal::kind) kind, double limit,
             const std::string &name) {
    add(what, unit, kind, limit, has(name, name) ? std::optional(spread_of(runs_.at(name))) : std::nullopt);
  }
  void count(const std::string &what, const std::string &unit, double limit, uint64_t measured) {
    const auto number = static_cast<double>(measured);
    add(what, unit, Goal::kAtMost, limit, Spread{number, number, number});
  }
  std::vector<Goal> take() { return std::move(goals_); }

 private:
  bool has(const std::string &a, const std::string &b) const { return runs_.contains(a) && runs_.contains(b); }
  static Spread scaled(Spread spread, double scale) {
    return {spread.median * scale, spread.lower * scale, spread.upper * scale};
  }
  void add(const std::string &what, const std::string &unit, decltype(Goal::kind) kind, double limit,
           std::optional<Spread> measured) {
    goals_.push_back({what, unit, kind, limit, measured});
  }

  const Runs &runs_;
  std::vector<Goal> goals_;
};

void add_discovery(List &list, int count, double open_all, double gstreamer) {
  const std::string n = std::to_string(count);
  const std::string all = "discover." + n + ".";
  const std::string head = "discover " + n + ": ";
  list.ratio(head + "opening all / ours", Goal::kAtLeast, open_all, all + "open_all", all + "ours");
  list.ratio(head + "opening and closing all / ours", Goal::kNone, 0, all + "open_close_all", all + "ours");
  list.ratio(head + "Qt / ours", Goal::kAtLeast, 5, all + "qt", all + "ours");
  list.ratio(head + "Boost library_info / ours", Goal::kAtLeast, 3, all + "boost_dll", all + "ours");
  list.ratio(head + "ours / open, read 4 KiB, close", Goal::kAtMost, 1.35, all + "ours", all + "bare_scan");
  list.ratio(head + "ours / the system calls of its checks", Goal::kNone, 0, all + "ours", all + "calls_of_scan");
  list.ratio(head + "opening all / the system calls of our checks", Goal::kNone, 0, all + "open_all",
             all + "calls_of_scan");
  list.ratio(head + "GStreamer warm / ours cached", Goal::kAtLeast, gstreamer, all + "gstreamer_warm",
             all + "ours_cached");
  list.ratio(head + "GStreamer warm / a stat of each file", Goal::kNone, 0, all + "gstreamer_warm", all + "stat_each");
  list.ratio(head + "cold pages, opening all / ours cached", Goal::kAtLeast, 25, "cold." + n + ".open_all",
             "cold." + n + ".ours_cached");
}

void add_inside(List &list) {
  list.value("a factory already loaded, by name", "ns", Goal::kAtMost, 15, "inside.factory_by_name");
  list.value("a factory already loaded, by handle", "ns", Goal::kAtMost, 3, "inside.factory_by_handle");
  list.value("find a name among 1,000", "ns", Goal::kAtMost, 14, "inside.find_by_name");
  list.ratio("find a name: 1,000 / 100 members", Goal::kAtMost, 1.3, "inside.find_by_name",
             "inside.find_by_name_of_100");
  const std::string find = "inside.find_beside_a_writer/real_time/threads:";
  list.value("two readers and a writer: find a name, each", "ns", Goal::kAtMost, 16, find + "2");
  list.ratio("two readers / one, throughput", Goal::kAtLeast, 1.8, find + "2.items_per_second",
             find + "1.items_per_second");
  list.value("two readers and a writer: read its path, each", "ns", Goal::kAtMost, 16,
             "inside.path_beside_a_writer/real_time/threads:2");
  list.value("two readers and a writer: a locked map, each", "ns", Goal::kNone, 0,
             "inside.rival_beside_a_writer/real_time/threads:2");
  list.value("override with a text seen before", "ns", Goal::kAtMost, 100, "inside.override_seen_text");
  list.value("a call that does nothing", "ns", Goal::kNone, 0, "inside.call_nothing");
  list.value("find a name, a locked map", "ns", Goal::kNone, 0, "inside.find_by_name_rival");
  list.ratio("a call through a table / a virtual call", Goal::kAtMost, 1.05, "inside.call_through_table",
             "inside.call_virtual");
}

}  // namespace

std::vector<Goal> goals(const Runs &runs, const ElfFacts &library, const Extent &extent) {
  List list(runs);
  list.ratio("load, create, destroy / raw dlopen", Goal::kAtMost, 1.08, "load.ours", "load.raw");
  list.ratio("the same and unload / with dlclose", Goal::kAtMost, 1.08, "load_unload.ours", "load_unload.raw");
  add_discovery(list, extent.few, 7, 10);
  if (extent.many != extent.few) add_discovery(list, extent.many, 16, 4.5);
  list.ratio("unrelated files / a bare readdir", Goal::kAtMost, 1.5, "unrelated.ours", "unrelated.readdir");
  add_inside(list);
  list.value("heap a member beyond its strings", "B", Goal::kAtMost, 96, "inside.find_by_name.heap_bytes_per_member");
  list.difference("heap a discovered plugin", "B", 1536, "heap." + std::to_string(extent.many), "heap.0",
                  1.0 / extent.many);
  list.difference("process start above a bare host", "ms", 0.80, "start.library", "start.nothing", 1e-6);
  list.difference("process start above libstdc++ alone", "ms", 0.10, "start.library", "start.stdcxx", 1e-6);
  list.count("symbolic relocations", "", 150, library.symbolic_relocations);
  list.count("static initialisers of ours", "", 0, library.initialisers > 0 ? library.initialisers - 1 : 0);
  list.count("size, stripped", "KiB", 500, (library.bytes + 1023) / 1024);
  return list.take();
}

}  // namespace rivals
