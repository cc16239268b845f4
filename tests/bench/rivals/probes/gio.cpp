// SPDX-License-Identifier: Apache-2.0
// GIO's modules: discovery with the list that its own tool keeps in the directory (which holds no names), then loading.
#include <gio/gio.h>

#include "probe.h"

namespace {

using rivals::expect;

constexpr char kSymbol[] = "g_io_module_load";

double load_each(const std::string &directory, bool unload) {
  g_type_ensure(G_IO_TYPE_MODULE);
  g_io_extension_point_register("rival");
  const std::vector<std::string> paths = rivals::libraries_in(directory);
  std::vector<std::string> names;
  for (const std::string &path : paths) names.push_back(rivals::name_in(path));
  const rivals::Stopwatch watch;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    GTypeModule *module = G_TYPE_MODULE(g_io_module_new(paths[i].c_str()));
    expect(g_type_module_use(module), paths[i]);
    g_object_unref(g_object_new(g_type_from_name(names[i].c_str()), nullptr));
    if (unload) g_type_module_unuse(module);
  }
  return watch.ns();
}
double load(const std::string &directory) { return load_each(directory, false); }
double load_unload(const std::string &directory) { return load_each(directory, true); }

double discover(const std::string &directory) {
  g_type_ensure(G_IO_TYPE_MODULE);
  g_io_extension_point_register("rival");
  const rivals::Stopwatch watch;
  g_io_modules_scan_all_in_directory(directory.c_str());
  return watch.ns();
}

}  // namespace

int main(int argc, char **argv) {
  return rivals::run(argc, argv,
                     {{"raw_load", rivals::raw_load<kSymbol>},
                      {"raw_load_unload", rivals::raw_load_unload<kSymbol>},
                      {"load", load},
                      {"load_unload", load_unload},
                      {"discover", discover}});
}
