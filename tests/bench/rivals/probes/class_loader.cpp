// SPDX-License-Identifier: Apache-2.0
// class_loader, as robots use it: a library is opened to learn which classes it has.
#include "../plugins/class_loader.h"

#include <class_loader/class_loader.hpp>
#include <memory>

#include "probe.h"

namespace {

using class_loader::ClassLoader;

// A class registers itself from the library's constructors, so there is no symbol to ask for; this one is everywhere.
constexpr char kSymbol[] = "malloc";

double load(const std::string &directory) {
  const std::vector<std::string> paths = rivals::libraries_in(directory);
  const rivals::Stopwatch watch;
  for (const std::string &path : paths) {
    auto *loader = new ClassLoader(path);  // its destructor would unload
    loader->createUniqueInstance<rivals::Base>(rivals::name_in(path));
  }
  return watch.ns();
}

double load_unload(const std::string &directory) {
  const std::vector<std::string> paths = rivals::libraries_in(directory);
  const rivals::Stopwatch watch;
  for (const std::string &path : paths) {
    ClassLoader loader(path);
    loader.createUniqueInstance<rivals::Base>(rivals::name_in(path));
    loader.unloadLibrary();
  }
  return watch.ns();
}

double discover(const std::string &directory) {
  std::size_t found = 0;
  const rivals::Stopwatch watch;
  for (const std::string &path : rivals::libraries_in(directory)) {
    found += (new ClassLoader(path))->getAvailableClasses<rivals::Base>().size();
  }
  const double ns = watch.ns();
  rivals::expect(found == rivals::libraries_in(directory).size(), "getAvailableClasses");
  return ns;
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
