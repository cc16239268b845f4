// SPDX-License-Identifier: Apache-2.0
// A host of its own, for what can only be seen from outside a process: what it prints, and how it ends.
//
//   loading_child elevated           exits with 0 if it runs elevated
//   loading_child report DIR         prints the report
//   loading_child run DIR NAME       opens the attention backend NAME, and puts everything back
//   loading_child keep DIR NAME HOW  leaves main() with a live backend; HOW is the option "create"
//   loading_child static DIR NAME    as keep, and a static object opens another one after main()
//   loading_child atfork DIR NAME    forks, with fork handlers of its own that use the registry
//   loading_child cycle DIR NAME FILE  opens NAME and unloads its FILE 10,000 times, and watches what that leaves
//   behind
//
// DIR: the one search directory of the configuration; "-" for none.
#include <backend_registry/backend_registry.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

int fail(const char *what, const bkr_error &error) {
  std::fprintf(stderr, "%s: %s: %s\n", what, bkr_status_name(error.code), error.msg);
  return 1;
}

bkr_registry *open_registry(const char *directory) {
  char text[4096];
  bkr_error error = BKR_ERROR_INIT(text);
  bkr_config config = {};
  config.struct_size = sizeof config;
  config.flags = BKR_CONFIG_NO_DEFAULT_DIRS | BKR_CONFIG_ALLOW_UNLOAD;
  if (std::strcmp(directory, "-") != 0) {
    config.search_dirs = &directory;
    config.search_dir_count = 1;
  }
  bkr_registry *opened = nullptr;
  if (bkr_registry_open(&config, &opened, &error) != BKR_OK) std::exit(fail("open", error));
  return opened;
}

bkr_backend *open_backend(bkr_registry *from, const char *name, const char *how) {
  char text[4096];
  bkr_error error = BKR_ERROR_INIT(text);
  const bkr_option option = {"create", how};
  bkr_backend *made = nullptr;
  if (bkr_backend_open(from, "attention", name, &option, 1, &made, &error) != BKR_OK) std::_Exit(fail(name, error));
  return made;
}

// What this process holds of the system.
struct Footprint {
  std::ptrdiff_t descriptors = 0;
  std::ptrdiff_t mappings = 0;
  std::ptrdiff_t heap = static_cast<std::ptrdiff_t>(mallinfo2().uordblks);
  Footprint() {
    namespace fs = std::filesystem;
    descriptors = std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
    std::ifstream maps("/proc/self/maps");
    mappings = std::count(std::istreambuf_iterator<char>(maps), std::istreambuf_iterator<char>(), '\n');
  }
};

int cycle(bkr_registry *registry, const char *name, const char *file) {
  const auto times = [&](int count) {
    for (int i = 0; i < count; ++i) {
      char text[4096];
      bkr_error error = BKR_ERROR_INIT(text);
      bkr_backend_destroy(open_backend(registry, name, ""));
      if (bkr_library_unload(registry, file, &error) != BKR_OK) return fail("unload", error);
    }
    return 0;
  };
  if (times(100) != 0) return 1;
  const Footprint before;
  if (times(10000) != 0) return 1;
  const Footprint after;
  // A page for what libraries of the system keep for themselves.
  const bool same =
      after.descriptors == before.descriptors && after.mappings <= before.mappings && after.heap <= before.heap + 4096;
  if (!same) {
    std::fprintf(stderr, "descriptors %td to %td, mappings %td to %td, heap %td to %td bytes\n", before.descriptors,
                 after.descriptors, before.mappings, after.mappings, before.heap, after.heap);
  }
  return same ? 0 : 1;
}

// Registered before the registry's own handlers, so that they run while those hold every lock.
struct ForkHandlers {
  static inline bkr_registry *registry = nullptr;
  static inline const char *name = nullptr;
  static inline std::string told;
  static void use(const char *when) {
    if (!registry) return;
    bkr_registry_rescan(registry, nullptr);
    bkr_backend *made = open_backend(registry, name, "");
    told += std::string(when) + ": " + bkr_backend_name(made);
    bkr_backend_destroy(made);
  }
  static void before() { use("before"); }
  static void parent() { use(", in the parent"); }
  static void child() { use(", in the child"); }
};

int fork_with_handlers(const char *directory, const char *name) {
  pthread_atfork(ForkHandlers::before, ForkHandlers::parent, ForkHandlers::child);
  ForkHandlers::registry = open_registry(directory);
  ForkHandlers::name = name;
  int ends[2];
  if (pipe(ends) != 0) return 1;
  const pid_t process = fork();
  if (process == 0) {
    // What came before is in both.
    const std::string mine = ForkHandlers::told.substr(ForkHandlers::told.find(','));
    const bool written = write(ends[1], mine.data(), mine.size()) == static_cast<ssize_t>(mine.size());
    _exit(written ? 0 : 1);
  }
  int status = 1;
  if (waitpid(process, &status, 0) != process || status != 0) return 1;
  char text[256] = "";
  const ssize_t size = read(ends[0], text, sizeof text - 1);
  std::printf("%s%.*s\n", ForkHandlers::told.c_str(), static_cast<int>(size), text);
  bkr_registry_close(ForkHandlers::registry);
  return 0;
}

struct AfterMain {
  bkr_registry *uses = nullptr;
  const char *name = nullptr;
  ~AfterMain() {
    if (!uses) return;
    bkr_backend *made = open_backend(uses, name, "");
    if (std::strcmp(bkr_backend_name(made), name) != 0) std::_Exit(3);
    bkr_backend_destroy(made);
    bkr_registry_close(uses);
    std::puts("used after main");
  }
};

AfterMain after_main;

// What is left alive on purpose; here it is no leak.
bkr_registry *registry = nullptr;
bkr_backend *backend = nullptr;

}  // namespace

int main(int argc, char **argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "elevated") return getauxval(AT_SECURE) != 0 ? 0 : 1;
  if (argc < (mode == "report" ? 3 : 4)) return 2;
  if (mode == "atfork") return fork_with_handlers(argv[2], argv[3]);
  registry = open_registry(argv[2]);
  if (mode == "report") {
    size_t need = 0;
    bkr_registry_report(registry, nullptr, 0, &need, nullptr);
    std::string text(need, '\0');
    bkr_registry_report(registry, text.data(), need, &need, nullptr);
    std::puts(text.c_str());
    bkr_registry_close(registry);
    return 0;
  }
  if (mode == "cycle") {
    const int code = argc > 4 ? cycle(registry, argv[3], argv[4]) : 2;
    bkr_registry_close(registry);
    return code;
  }
  backend = open_backend(registry, argv[3], argc > 4 ? argv[4] : "");
  if (mode == "run") {
    bkr_backend_destroy(backend);
    bkr_registry_close(registry);
  } else if (mode == "static") {
    after_main.uses = registry;
    after_main.name = argv[3];
  }
  return 0;
}
