// SPDX-License-Identifier: Apache-2.0
#include "load/residence.h"

#include "base/text.h"
#include "load/dynamic_library.h"

#if defined(__linux__)
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#endif

namespace bkr::core {

#if defined(__linux__)

namespace {

constexpr unsigned kUniqueBinding = 10;  // STB_GNU_UNIQUE

// The dynamic section of a library that the system has loaded: its tables lie in memory, and were found sound by the
// system before.
class LoadedTables {
 public:
  BKR_ORDERED_BY_THE_LOADER explicit LoadedTables(const link_map &map) : base_(map.l_addr) {
    for (const ElfW(Dyn) *at = map.l_ld; at->d_tag != DT_NULL; ++at) {
      if (at->d_tag == DT_FLAGS_1) no_delete_ = (at->d_un.d_val & DF_1_NODELETE) != 0;
      if (at->d_tag == DT_STRTAB) strings_ = place<char>(at->d_un.d_ptr);
      if (at->d_tag == DT_SYMTAB) symbols_ = place<ElfW(Sym)>(at->d_un.d_ptr);
      if (at->d_tag == DT_GNU_HASH) gnu_hash_ = place<uint32_t>(at->d_un.d_ptr);
      if (at->d_tag == DT_HASH) hash_ = place<ElfW(Word)>(at->d_un.d_ptr);
    }
  }

  bool no_delete() const { return no_delete_; }

  // The name of the first symbol that `wanted(symbol, name)` accepts; null if there is none.
  template <class Wanted>
  const char *find(const Wanted &wanted) const {
    if (!strings_ || !symbols_) return nullptr;
    const uint32_t count = hash_ ? hash_[1] : count_by_gnu_hash();
    for (uint32_t i = 1; i < count; ++i) {
      const char *name = strings_ + symbols_[i].st_name;
      if (wanted(symbols_[i], std::string_view(name))) return name;
    }
    return nullptr;
  }

 private:
  // glibc turns the addresses of this section into pointers, other loaders leave them as they were.
  template <class T>
  const T *place(ElfW(Addr) address) const {
    return reinterpret_cast<const T *>(address < base_ ? address + base_ : address);
  }

  // One past the last symbol of the fullest chain. What is not exported comes before all chains.
  uint32_t count_by_gnu_hash() const {
    if (!gnu_hash_) return 0;
    const uint32_t buckets = gnu_hash_[0], first = gnu_hash_[1], filter_words = gnu_hash_[2];
    const uint32_t *bucket = gnu_hash_ + 4 + filter_words * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t *chains = bucket + buckets;
    uint32_t last = buckets > 0 ? *std::max_element(bucket, chains) : 0;
    if (last < first) return first;  // nothing is exported
    while ((chains[last - first] & 1u) == 0) ++last;
    return last + 1;
  }

  ElfW(Addr) base_;
  bool no_delete_ = false;
  const char *strings_ = nullptr;
  const ElfW(Sym) *symbols_ = nullptr;
  const uint32_t *gnu_hash_ = nullptr;
  const ElfW(Word) *hash_ = nullptr;
};

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
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_addr == base) found = explain(LoadedTables(*map));
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
