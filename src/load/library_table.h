// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_LOAD_LIBRARY_TABLE_H
#define BKR_LOAD_LIBRARY_TABLE_H

#include <backend_registry/types.h>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/failure.h"
#include "base/fork_safe_mutex.h"
#include "discover/plugin_file.h"
#include "load/dynamic_library.h"

namespace bkr::core {

// A library that is open, with what is needed to prove that a symbol is its own. Closed when the last user goes.
class Library {
 public:
  Library(std::string path, DynamicLibrary library, uintptr_t begin, uintptr_t end)
      : path_(std::move(path)), library_(std::move(library)), begin_(begin), end_(end) {}
  Library(const Library &) = delete;
  ~Library();

  const std::string &path() const noexcept { return path_; }

  // The create function of that name. BKR_SYMBOL_MISSING also if another library's symbol answers for it.
  Result<bkr_create_backend_fn> create_function(const std::string &symbol) const;

 private:
  const std::string path_;
  std::optional<DynamicLibrary> library_;  // always there
  const uintptr_t begin_;
  const uintptr_t end_;
};

// The libraries that this process has open, one opening for a file's identity, shared by all registries. Never
// destroyed: nothing is unmapped at exit, nor at all unless close() is asked for it.
class LibraryTable {
 public:
  static LibraryTable &of_process();

  // Opens the file that `facts` describe, or finds it open. `facts.failure` must be empty. BKR_STALE (the file is
  // another one than was read), BKR_LOAD_FAILED, BKR_DEPENDENCY_MISSING, BKR_BUSY (its load was running when the
  // process forked). No lock is held while the system's loader runs.
  //
  // A thread waits while another opens or closes the same file, unless it is inside a load itself: then it opens the
  // file too, and the first to finish is kept. (Waiting there deadlocks: glibc holds its own lock while constructors
  // run, and the other thread may need it.)
  Result<std::shared_ptr<const Library>> open(const PluginFile &facts);

  // Closes what is open of the file with this absolute, canonical path. BKR_WRONG_STATE (it is not open), BKR_BUSY
  // (it has users: how many; nothing was closed), BKR_STAYS_RESIDENT (closed, but the system keeps it: why).
  Result<void> close(const std::string &path);

 private:
  struct Entry {
    std::shared_ptr<const Library> library;             // the table's own use of it
    std::string opened_as;                              // the path's spelling that the system's loader knows
    bool resident = false;                              // closed, and still in memory
    std::optional<Failure> thrown;                      // a constructor of it threw
    int at_work = 0;                                    // threads that are opening or closing it
    int64_t process = 0;                                // that they belong to
    std::shared_ptr<std::condition_variable_any> done;  // theirs; a child of fork() never looks at its parent's
    bool is_in_memory() const noexcept { return library || resident; }
  };
  class Work;
  using Lock = std::unique_lock<ForkSafeMutex>;
  Result<void> wait_for_turn(Lock &lock, const PluginFile &facts, Entry &entry);
  std::string spelling(const std::string &path, const FileIdentity &content) const;
  Result<std::shared_ptr<const Library>> open_now(const PluginFile &facts, const std::string &opened_as) const;
  Result<void> close_now(Lock &lock, Entry &entry);

  ForkSafeMutex mutex_;
  std::unordered_map<FileIdentity, Entry, FileIdentityHash> entries_;
  std::string thrower_;  // a file whose constructor threw, if there is one
};

}  // namespace bkr::core

#endif  // BKR_LOAD_LIBRARY_TABLE_H
