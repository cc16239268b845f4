// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_LOAD_DYNAMIC_LIBRARY_H
#define BKR_LOAD_DYNAMIC_LIBRARY_H

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/failure.h"

// For functions that read the list of libraries of the system's loader: its own lock orders what other threads wrote
// there, and the thread sanitizer does not see that lock.
#if defined(__SANITIZE_THREAD__)
#define BKR_ORDERED_BY_THE_LOADER __attribute__((no_sanitize("thread")))
#else
#define BKR_ORDERED_BY_THE_LOADER
#endif

namespace bkr::core {

// A library opened as code, with everything bound at once and its symbols kept to itself. It is closed when the
// last copy goes.
class DynamicLibrary {
 public:
  // Runs the library's constructors. BKR_LOAD_FAILED: the reason is the system's own text. BKR_PLUGIN_EXCEPTION: one
  // of them threw; the system's loader was left in the middle, and this thread keeps its lock for ever.
  static Result<DynamicLibrary> open(const std::string &path);

  // The part of a path that the system's loader takes for a variable, so that it would open another file; empty if
  // there is none.
  static std::string_view expanded_word(std::string_view path) noexcept;

  // Null if neither the library nor one that it needs has the symbol.
  void *symbol(const char *name) const noexcept;

  // Where the system put the library: the address that its load addresses are relative to.
  Result<uintptr_t> base() const;

  // The system's own handle, which stays ours.
  void *native() const noexcept;

  // Whether the system has a library of this name in memory; opens nothing.
  static bool is_mapped(const std::string &name) noexcept;

 private:
  struct Handle;
  explicit DynamicLibrary(std::shared_ptr<const Handle> handle);
  std::shared_ptr<const Handle> handle_;
};

}  // namespace bkr::core

#endif  // BKR_LOAD_DYNAMIC_LIBRARY_H
