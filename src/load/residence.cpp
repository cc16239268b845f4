// SPDX-License-Identifier: Apache-2.0
#include "load/residence.h"

#include "base/text.h"
#include "load/dynamic_library.h"

#if defined(__linux__)
#include <dlfcn.h>

#include "load/loaded_tables.h"
#endif

namespace bkr::core {

#if defined(__linux__)

namespace {

constexpr unsigned kUniqueBinding = 10;  // STB_GNU_UNIQUE

Residence explain(const LoadedTables &tables) {
  if (tables.no_delete()) {
    return {"it was linked to stay (-z nodelete)", "Link it without -z nodelete, if it may go."};
  }
  const char *unique = tables.find([](const ElfW(Sym) & symbol, std::string_view) {
    return symbol.st_info >> 4 == kUniqueBinding && symbol.st_shndx != SHN_UNDEF;
  });
  if (unique) {
    return {cat("it has symbols that are unique in the process, such as ", unique),
            "Compile it with -fno-gnu-unique, as backend_add_plugin() does, or hide its symbols."};
  }
  const char *at_thread_exit = tables.find([](const ElfW(Sym) & symbol, std::string_view name) {
    return symbol.st_shndx == SHN_UNDEF && name.starts_with("__cxa_thread_atexit");
  });
  if (at_thread_exit) {
    return {
        "it has thread-local objects with destructors, which threads that used it may still have to run, or the "
        "program or another library has it open too",
        "End those threads, or close it there; then load and unload it once more."};
  }
  return {"the program or another library has it open too", "Close it there."};
}

}  // namespace

BKR_ORDERED_BY_THE_LOADER std::optional<Residence> find_residence(const std::string &opened_as, uintptr_t base,
                                                                  uintptr_t inside) {
  // Mostly nothing is there any more, which the system says without a look at the file.
  Dl_info anything{};
  if (dladdr(reinterpret_cast<const void *>(inside), &anything) == 0) return std::nullopt;
  void *handle = dlopen(opened_as.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) {
    dlerror();  // nobody shall read this text as another failure's
    return std::nullopt;
  }
  link_map *map = nullptr;
  std::optional<Residence> found;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_addr == base)
    found = explain(LoadedTables(map->l_addr, map->l_ld));
  dlclose(handle);
  return found;
}

#else

std::optional<Residence> find_residence(const std::string &opened_as, uintptr_t, uintptr_t) {
  if (!DynamicLibrary::is_mapped(opened_as)) return std::nullopt;
  return Residence{"the program or another library has it open too", "Close it there."};
}

#endif

}  // namespace bkr::core
