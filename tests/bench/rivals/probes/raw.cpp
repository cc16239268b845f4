// SPDX-License-Identifier: Apache-2.0
// The system alone: what its loader takes, and what reading directories and files takes.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include "plain.h"

namespace {

class Library {
 public:
  explicit Library(const std::string &path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    rivals::expect(handle_ != nullptr, path);
  }
  bkr_create_backend_fn create() const {
    return reinterpret_cast<bkr_create_backend_fn>(dlsym(handle_, "create_backend"));
  }
  void close() { dlclose(handle_); }

 private:
  void *handle_;
};

double open_and_maybe_close(const std::string &directory, bool close) {
  const rivals::Stopwatch watch;
  rivals::raw_load(rivals::libraries_in(directory), "create_backend", close);
  return watch.ns();
}
double open_all(const std::string &directory) { return open_and_maybe_close(directory, false); }
double open_close_all(const std::string &directory) { return open_and_maybe_close(directory, true); }

double bare_readdir(const std::string &directory) {
  const rivals::Stopwatch watch;
  DIR *stream = opendir(directory.c_str());
  rivals::expect(stream != nullptr, "opendir");
  while (readdir(stream) != nullptr) continue;
  closedir(stream);
  return watch.ns();
}

// The least that anyone must do who wants to know what a plugin says about itself.
double bare_scan(const std::string &directory) {
  static char bytes[4096];
  const rivals::Stopwatch watch;
  for (const std::string &path : rivals::libraries_in(directory)) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    rivals::expect(file >= 0 && pread(file, bytes, sizeof bytes, 0) > 0, path);
    close(file);
  }
  return watch.ns();
}

}  // namespace

int main(int argc, char **argv) {
  return rivals::run(argc, argv,
                     {{"load", rivals::load<Library>},
                      {"load_unload", rivals::load_unload<Library>},
                      {"open_all", open_all},
                      {"open_close_all", open_close_all},
                      {"bare_readdir", bare_readdir},
                      {"bare_scan", bare_scan}});
}
