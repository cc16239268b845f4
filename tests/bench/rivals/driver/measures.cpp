// SPDX-License-Identifier: Apache-2.0
#include "measures.h"

#include <initializer_list>

namespace rivals {

namespace {

struct Rival {
  const char *name;
  const char *plugin;  // its own kind of plugin, or the plain one
  bool unloads;
  std::initializer_list<const char *> discoveries;  // measures of its probe
};

const Rival kRivals[] = {{"boost_dll", "plain", true, {"discover"}},
                         {"gmodule", "plain", true, {}},
                         {"poco", "plain", true, {}},
                         {"gio", "gio", true, {"discover"}},
                         {"qt", "qt", true, {"discover"}},
                         {"class_loader", "class_loader", true, {"discover"}},
                         {"gstreamer", "gstreamer", false, {"discover_cold", "discover_warm"}}};

class List {
 public:
  List(const std::filesystem::path &parts, Copies &copies) : parts_(parts), copies_(copies) {}

  bool is_built(const std::string &probe) const { return std::filesystem::exists(parts_ / ("probe_" + probe)); }

  void add(const std::string &name, const std::string &probe, const std::string &measure,
           const std::string &directory) {
    list_.push_back({name, {(parts_ / ("probe_" + probe)).string(), measure, directory}, {}});
  }
  void add_cold(const std::string &name, const std::string &probe, const std::string &measure,
                const std::string &directory) {
    add(name, probe, measure, directory);
    list_.back().command.push_back("cold");
  }
  // Our scan cache is asked for by the environment, and keeps its file apart from the user's; one file a directory, as
  // GStreamer's registry is one here.
  void with_cache() {
    const std::filesystem::path directory = list_.back().command[2];
    const std::string home = (copies_.folder("cache") / directory.filename()).string();
    list_.back().environment = {{"BKR_CACHE", "1"}, {"XDG_CACHE_HOME", home}};
  }

  void add_loading(int few) {
    const std::string plain = copies_.of("plain", few);
    for (const std::string measure : {"load", "load_unload"}) {
      add(measure + ".raw", "raw", measure, plain);
      add(measure + ".ours", "ours", measure, plain);
      for (const Rival &rival : kRivals) {
        if (!is_built(rival.name) || (measure == "load_unload" && !rival.unloads)) continue;
        const std::string plugins = copies_.of(rival.plugin, few);
        add(measure + "." + rival.name, rival.name, measure, plugins);
        if (plugins != plain) add(measure + "." + rival.name + ".raw", rival.name, "raw_" + measure, plugins);
      }
    }
  }

  void add_discovery(int count) {
    const std::string all = "discover." + std::to_string(count) + ".";
    const std::string plain = copies_.of("plain", count);
    add(all + "ours", "ours", "discover", plain);
    for (const char *measure : {"bare_scan", "calls_of_scan", "stat_each", "open_all", "open_close_all"}) {
      add(all + measure, "raw", measure, plain);
    }
    add(all + "ours_cached", "ours", "discover_cached", plain);
    with_cache();
    for (const Rival &rival : kRivals) {
      if (!is_built(rival.name)) continue;
      for (const std::string measure : rival.discoveries) {
        const std::string suffix = measure.substr(std::string("discover").size());
        add(all + rival.name + suffix, rival.name, measure, copies_.of(rival.plugin, count));
      }
    }
    // Files of their own: what is left in memory after a cold run is no fair start for a warm one.
    const std::string apart = copies_.of("plain", count, "_cold");
    const std::string cold = "cold." + std::to_string(count) + ".";
    add_cold(cold + "open_all", "raw", "open_all", apart);
    add_cold(cold + "bare_scan", "raw", "bare_scan", apart);
    add_cold(cold + "ours", "ours", "discover", apart);
    add_cold(cold + "ours_cached", "ours", "discover_cached", apart);
    with_cache();
  }

  void add_unrelated(int count) {
    const std::string directory = copies_.unrelated(count);
    add("unrelated.ours", "ours", "discover", directory);
    add("unrelated.readdir", "raw", "bare_readdir", directory);
  }

  // What an empty directory costs, to tell it from what a plugin costs.
  void add_empty() {
    const std::string directory = copies_.of("plain", 0);
    add("discover.0.ours", "ours", "discover", directory);
    if (is_built("gstreamer")) add("discover.0.gstreamer", "gstreamer", "discover_cold", directory);
    add("heap.0", "ours", "heap", directory);
  }

  std::vector<Measure> take() { return std::move(list_); }

 private:
  std::filesystem::path parts_;
  Copies &copies_;
  std::vector<Measure> list_;
};

}  // namespace

std::vector<Measure> measures(const std::filesystem::path &parts, Copies &copies, const Extent &extent) {
  List list(parts, copies);
  list.add_loading(extent.few);
  list.add_discovery(extent.few);
  if (extent.many != extent.few) list.add_discovery(extent.many);
  list.add_unrelated(extent.unrelated);
  list.add_empty();
  list.add("heap." + std::to_string(extent.many), "ours", "heap", copies.of("plain", extent.many));
  return list.take();
}

}  // namespace rivals
