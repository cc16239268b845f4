// SPDX-License-Identifier: Apache-2.0
#include "load/loaded_before.h"

#if defined(__GLIBC__)
#include <dlfcn.h>
#include <link.h>
#endif

namespace bkr::core {

#if defined(__GLIBC__)

// New libraries are put at the end of the loader's list, and both ends of that are known while its lock is held: from
// the first call of this function's callback on.

namespace {

struct Now {
  const link_map *library = nullptr;
  uint64_t added = 0;
  uint64_t removed = 0;
  uint64_t added_before = 0;
  bool is_among_the_last = false;  // `library`, of as many as were added since
};

BKR_ORDERED_BY_THE_LOADER int look(dl_phdr_info *info, size_t, void *to) noexcept {
  Now &now = *static_cast<Now *>(to);
  now.added = info->dlpi_adds;
  now.removed = info->dlpi_subs;
  const link_map *at = now.library;
  for (uint64_t left = now.added - now.added_before; at && left > 0; --left) at = at->l_next;
  now.is_among_the_last = !at;
  return 1;  // one object is enough
}

}  // namespace

LoadedBefore::LoadedBefore(const std::string &) {
  Now now;
  dl_iterate_phdr(look, &now);
  added_ = now.added;
  removed_ = now.removed;
}

bool LoadedBefore::may_hold(const DynamicLibrary &library) const {
  Now now;
  now.added_before = added_;
  link_map *map = nullptr;
  if (dlinfo(library.native(), RTLD_DI_LINKMAP, &map) != 0 || !map) return true;
  now.library = map;
  dl_iterate_phdr(look, &now);
  return now.removed != removed_ || !now.is_among_the_last;
}

#else

LoadedBefore::LoadedBefore(const std::string &name) : had_name_(DynamicLibrary::is_mapped(name)) {}

bool LoadedBefore::may_hold(const DynamicLibrary &) const { return had_name_; }

#endif

}  // namespace bkr::core
