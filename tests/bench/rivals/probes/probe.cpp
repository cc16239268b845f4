// SPDX-License-Identifier: Apache-2.0
#include "probe.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace rivals {

void expect(bool fine, std::string_view what) {
  if (fine) return;
  std::fprintf(stderr, "%.*s failed\n", static_cast<int>(what.size()), what.data());
  std::exit(1);
}

std::vector<std::string> libraries_in(const std::string &directory) {
  std::vector<std::string> paths;
  DIR *stream = opendir(directory.c_str());
  expect(stream != nullptr, "opendir");
  while (const dirent *entry = readdir(stream)) {
    if (std::string_view(entry->d_name).ends_with(".so")) paths.push_back(directory + "/" + entry->d_name);
  }
  closedir(stream);
  return paths;
}

std::string name_in(const std::string &path) { return path.substr(path.rfind("RIVAL_"), 10); }

double raw_load(const std::vector<std::string> &paths, const char *symbol, bool close) {
  const Stopwatch watch;
  for (const std::string &path : paths) {
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    expect(library != nullptr && dlsym(library, symbol) != nullptr, path);
    if (close) dlclose(library);
  }
  return watch.ns();
}

namespace {

// Only pages that are written out already can be dropped.
void forget(const std::string &directory) {
  for (const std::string &path : libraries_in(directory)) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    expect(file >= 0 && fdatasync(file) == 0 && posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0, path);
    close(file);
  }
}

}  // namespace

int run(int argc, char **argv, std::initializer_list<Measure> measures) {
  const std::string_view wanted = argc > 2 ? argv[1] : "";
  for (const Measure &measure : measures) {
    if (measure.name != wanted) continue;
    const std::string directory = argv[2];
    if (argc > 3) forget(directory);
    std::printf("%.0f\n", measure.run(directory));
    std::fflush(stdout);
    _exit(0);  // what was loaded is not unloaded: that is no part of any measure
  }
  std::fprintf(stderr, "usage: %s <measure> <directory> [cold]\nmeasures:", argv[0]);
  for (const Measure &measure : measures) std::fprintf(stderr, " %s", measure.name.data());
  std::fprintf(stderr, "\n");
  return 2;
}

}  // namespace rivals
