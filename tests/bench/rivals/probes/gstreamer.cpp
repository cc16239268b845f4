// SPDX-License-Identifier: Apache-2.0
// GStreamer, whose registry reads a directory when the library is initialised: into a file of its own, or from it.
#include <gst/gst.h>
#include <unistd.h>

#include <cstdlib>

#include "probe.h"

namespace {

using rivals::expect;

// The driver names the file; a directory of its own has one of its own.
void set_registry(const std::string &directory) {
  setenv("GST_REGISTRY", (directory + ".registry").c_str(), 1);
  setenv("GST_REGISTRY_FORK", "no", 1);
  setenv("GST_PLUGIN_SYSTEM_PATH", "", 1);
  setenv("GST_PLUGIN_PATH", directory.c_str(), 1);
}

double initialise(const std::string &directory) {
  const rivals::Stopwatch watch;
  gst_init(nullptr, nullptr);
  const double ns = watch.ns();
  for (const std::string &path : rivals::libraries_in(directory)) {
    GstPluginFeature *found = gst_registry_lookup_feature(gst_registry_get(), rivals::name_in(path).c_str());
    expect(found != nullptr, path);
    gst_object_unref(found);
  }
  return ns;
}

double discover_cold(const std::string &directory) {
  set_registry(directory);
  unlink((directory + ".registry").c_str());
  return initialise(directory);
}

double discover_warm(const std::string &directory) {
  set_registry(directory);
  expect(access((directory + ".registry").c_str(), R_OK) == 0, "an earlier discover_cold");
  return initialise(directory);
}

double raw_load(const std::string &directory) {
  return rivals::raw_load(rivals::libraries_in(directory), "gst_plugin_desc", false);
}

// It never unmaps.
double load(const std::string &directory) {
  set_registry(directory);
  gst_init(nullptr, nullptr);
  std::vector<std::string> names;
  for (const std::string &path : rivals::libraries_in(directory)) names.push_back(rivals::name_in(path));
  const rivals::Stopwatch watch;
  for (const std::string &name : names) {
    GstElement *made = gst_element_factory_make(name.c_str(), nullptr);
    expect(made != nullptr, name);
    gst_object_unref(made);
  }
  return watch.ns();
}

}  // namespace

int main(int argc, char **argv) {
  return rivals::run(
      argc, argv,
      {{"raw_load", raw_load}, {"load", load}, {"discover_cold", discover_cold}, {"discover_warm", discover_warm}});
}
