// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_LOAD_LOADED_TABLES_H
#define BKR_LOAD_LOADED_TABLES_H

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "load/dynamic_library.h"

namespace bkr::core {

// The dynamic section of a library that the system has loaded: its tables lie in memory, and were found sound by the
// system before.
class LoadedTables {
 public:
  BKR_ORDERED_BY_THE_LOADER LoadedTables(ElfW(Addr) base, const ElfW(Dyn) * dynamic) : base_(base), dynamic_(dynamic) {
    for (const ElfW(Dyn) *at = dynamic; at->d_tag != DT_NULL; ++at) {
      if (at->d_tag == DT_FLAGS_1) no_delete_ = (at->d_un.d_val & DF_1_NODELETE) != 0;
      if (at->d_tag == DT_STRTAB) strings_ = place<char>(at->d_un.d_ptr);
      if (at->d_tag == DT_SYMTAB) symbols_ = place<ElfW(Sym)>(at->d_un.d_ptr);
      if (at->d_tag == DT_GNU_HASH) gnu_hash_ = place<uint32_t>(at->d_un.d_ptr);
      if (at->d_tag == DT_HASH) hash_ = place<ElfW(Word)>(at->d_un.d_ptr);
    }
  }

  bool no_delete() const { return no_delete_; }

  // Whether it names that library as needed.
  bool needs(std::string_view name) const {
    for (const ElfW(Dyn) *at = dynamic_; at->d_tag != DT_NULL; ++at) {
      if (at->d_tag == DT_NEEDED && strings_ && name == strings_ + at->d_un.d_val) return true;
    }
    return false;
  }

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
    // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are what the section holds
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
  const ElfW(Dyn) * dynamic_;
  bool no_delete_ = false;
  const char *strings_ = nullptr;
  const ElfW(Sym) *symbols_ = nullptr;
  const uint32_t *gnu_hash_ = nullptr;
  const ElfW(Word) *hash_ = nullptr;
};

}  // namespace bkr::core

#endif  // BKR_LOAD_LOADED_TABLES_H
