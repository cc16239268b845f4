// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_LOAD_LOADED_BEFORE_H
#define BKR_LOAD_LOADED_BEFORE_H

#include <cstdint>
#include <string>

#include "load/dynamic_library.h"

namespace bkr::core {

// What the system had in memory at the moment when this was made. A library that it hands out for a path may be one of
// those, with other code than the file of that name has now.
class LoadedBefore {
 public:
  // `name`: what will be opened. (Where the system counts its libraries, it is not asked for that name, which would
  // cost the opening and reading of the file once more.)
  explicit LoadedBefore(const std::string &name);

  // Whether a library that was opened since may have been there. No: it was not.
  bool may_hold(const DynamicLibrary &library) const;

 private:
#if defined(__GLIBC__)
  uint64_t added_ = 0;  // libraries of this process, those that are gone included
  uint64_t removed_ = 0;
#else
  bool had_name_ = false;
#endif
};

}  // namespace bkr::core

#endif  // BKR_LOAD_LOADED_BEFORE_H
