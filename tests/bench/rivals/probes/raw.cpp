// SPDX-License-Identifier: Apache-2.0
// The system alone: what its loader takes, and what reading directories and files takes.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
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

// Nanoseconds of listing a directory and of `look(directory's descriptor, name)` at each file.
template <class Look>
double each_file(const std::string &directory, const Look &look) {
  const rivals::Stopwatch watch;
  DIR *stream = opendir(directory.c_str());
  rivals::expect(stream != nullptr, "opendir");
  while (const dirent *entry = readdir(stream)) {
    if (entry->d_name[0] != '.') rivals::expect(look(dirfd(stream), entry->d_name), entry->d_name);
  }
  closedir(stream);
  return watch.ns();
}

double bare_readdir(const std::string &directory) {
  return each_file(directory, [](int, const char *) { return true; });
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

// The system calls alone that our checks need, and no check: which file it is, its first page, and its dynamic section,
// which lies behind that.
double calls_of_scan(const std::string &directory) {
  return each_file(directory, [](int in, const char *name) {
    static char bytes[4096];
    struct stat status;
    const int file = openat(in, name, O_RDONLY | O_CLOEXEC);
    const bool fine = file >= 0 && fstat(file, &status) == 0 && pread(file, bytes, sizeof bytes, 0) > 0 &&
                      pread(file, bytes, 448, status.st_size * 3 / 4) > 0;
    close(file);
    return fine;
  });
}

// The one call that tells whether a file is still the same.
double stat_each(const std::string &directory) {
  return each_file(directory, [](int in, const char *name) {
    struct stat status;
    return fstatat(in, name, &status, 0) == 0;
  });
}

}  // namespace

int main(int argc, char **argv) {
  return rivals::run(argc, argv,
                     {{"load", rivals::load<Library>},
                      {"load_unload", rivals::load_unload<Library>},
                      {"open_all", open_all},
                      {"open_close_all", open_close_all},
                      {"bare_readdir", bare_readdir},
                      {"bare_scan", bare_scan},
                      {"calls_of_scan", calls_of_scan},
                      {"stat_each", stat_each}});
}
