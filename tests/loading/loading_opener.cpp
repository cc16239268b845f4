// SPDX-License-Identifier: Apache-2.0
// A host that does not link the registry's library, but opens and closes it at run time, again and again, as an
// interpreter does with an extension.
//
//   loading_opener LIBRARY DIR NAME
#include <backend_registry/backend_registry.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace {

// The registry's library, open for as long as this lives.
class Library {
 public:
  explicit Library(const char *path) : handle_(check(dlopen(path, RTLD_NOW | RTLD_LOCAL))) {}
  Library(const Library &) = delete;
  ~Library() { dlclose(handle_); }

  template <class Function>
  Function *find(const char *name, Function *) const {
    return reinterpret_cast<Function *>(check(dlsym(handle_, name)));
  }

 private:
  static void *check(void *found) {
    if (!found) {
      std::fprintf(stderr, "%s\n", dlerror());
      std::exit(1);
    }
    return found;
  }
  void *const handle_;
};
#define CALL(library, function) (library).find(#function, static_cast<decltype(function) *>(nullptr))

bkr_backend *make(const Library &library, const char *directory, const char *name) {
  char text[4096] = "";
  bkr_error error = BKR_ERROR_INIT(text);
  bkr_config config = {};
  config.struct_size = sizeof config;
  config.flags = BKR_CONFIG_NO_DEFAULT_DIRS;
  config.search_dirs = &directory;
  config.search_dir_count = 1;
  bkr_registry *registry = nullptr;
  bkr_backend *backend = nullptr;
  bkr_status status = CALL(library, bkr_registry_open)(&config, &registry, &error);
  if (status == BKR_OK) {
    status = CALL(library, bkr_backend_open)(registry, "attention", name, nullptr, 0, &backend, &error);
  }
  if (status != BKR_OK) {
    std::fprintf(stderr, "%d: %s\n", status, text);
    std::exit(1);
  }
  CALL(library, bkr_registry_close)(registry);
  return backend;
}

void destroy(const Library &library, bkr_backend *backend, const char *name) {
  if (std::strcmp(CALL(library, bkr_backend_name)(backend), name) != 0) std::exit(3);
  CALL(library, bkr_backend_destroy)(backend);
}

std::ptrdiff_t count_mappings() {
  std::ifstream maps("/proc/self/maps");
  return std::count(std::istreambuf_iterator<char>(maps), std::istreambuf_iterator<char>(), '\n');
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  const char *const path = argv[1], *const directory = argv[2], *const name = argv[3];
  const auto once = [&] {
    const Library library(path);
    destroy(library, make(library, directory, name), name);
  };
  once();
  const std::ptrdiff_t before = count_mappings();
  for (int i = 1; i < 100; ++i) once();
  if (const std::ptrdiff_t after = count_mappings(); after > before + 2) {  // the heap may have grown by a piece
    std::fprintf(stderr, "%td mappings became %td\n", before, after);
    return 1;
  }

  // A backend that outlives the last closing, and a fork after it.
  bkr_backend *backend = make(Library(path), directory, name);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  int status = 1;
  if (::waitpid(child, &status, 0) != child || status != 0) return 1;
  if (std::strcmp(backend->api->name(backend), name) != 0) return 3;
  destroy(Library(path), backend, name);
  std::printf("100 times %s, and once more after the last closing\n", name);
  return 0;
}
