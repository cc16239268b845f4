// SPDX-License-Identifier: Apache-2.0
// Boost.DLL: shared_library for loading, library_info for reading what a file has.
// clang-format off
#include <vector>  // before library_info.hpp, which forgets it in 1.74
// clang-format on
#include <boost/dll/library_info.hpp>
#include <boost/dll/shared_library.hpp>
#include <filesystem>

#include "plain.h"

namespace {

namespace dll = boost::dll;

class Library {
 public:
  explicit Library(const std::string &path)
      : library_(std::filesystem::path(path), dll::load_mode::rtld_now | dll::load_mode::rtld_local) {}
  bkr_create_backend_fn create() const { return &library_.get<rivals::Create>("create_backend"); }
  void close() { library_.unload(); }

 private:
  dll::shared_library library_;
};

double discover(const std::string &directory) {
  std::size_t found = 0;
  const rivals::Stopwatch watch;
  for (const std::string &path : rivals::libraries_in(directory)) {
    for (const std::string &symbol : dll::library_info(path).symbols()) found += symbol == "create_backend";
  }
  const double ns = watch.ns();
  rivals::expect(found == rivals::libraries_in(directory).size(), "library_info");
  return ns;
}

}  // namespace

int main(int argc, char **argv) {
  return rivals::run(
      argc, argv,
      {{"load", rivals::load<Library>}, {"load_unload", rivals::load_unload<Library>}, {"discover", discover}});
}
