// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_LOAD_LIBRARY_TABLE_H
#define BKR_LOAD_LIBRARY_TABLE_H

#include <backend_registry/types.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/failure.h"
#include "base/fork_safe_mutex.h"
#include "discover/plugin_file.h"
#include "load/dynamic_library.h"

namespace bkr::core {

// A library that is open, with what is needed to prove that a symbol is its own. Closed when the last user goes.
class Library {
 public:
  // `opened_as`: the spelling of the path that the system's loader knows; `base`: where it put the library.
  Library(std::string path, std::string opened_as, DynamicLibrary library, uintptr_t base, const Image &image)
      : path_(std::move(path)),
        opened_as_(std::move(opened_as)),
        library_(std::move(library)),
        base_(base),
        begin_(base + static_cast<uintptr_t>(image.load_begin)),
        end_(base + static_cast<uintptr_t>(image.load_end)) {}
  Library(const Library &) = delete;

  const std::string &path() const noexcept { return path_; }
  const std::string &opened_as() const noexcept { return opened_as_; }
  uintptr_t base() const noexcept { return base_; }
  uintptr_t begin() const noexcept { return begin_; }

  // The create function of that name. BKR_SYMBOL_MISSING also if another library's symbol answers for it.
  Result<bkr_create_backend_fn> create_function(const std::string &symbol) const;

 private:
  const std::string path_;
  const std::string opened_as_;
  const DynamicLibrary library_;
  const uintptr_t base_;
  const uintptr_t begin_;
  const uintptr_t end_;
};

// The libraries that this process has open, one opening for a file's identity, shared by all registries. Never
// destroyed: nothing is unmapped at exit, nor at all unless close() is asked for it.
class LibraryTable {
 public:
  LibraryTable();
  static LibraryTable &of_process();

  // Opens the file that `facts` describe, or finds it open. `facts.failure` must be empty. BKR_STALE (the file is
  // another one than was read), BKR_LOAD_FAILED, BKR_DEPENDENCY_MISSING, BKR_BUSY (its load, or the system's loader at
  // an unsafe moment, was running when the process forked), BKR_REENTRANT (this thread is closing it).
  //
  // No lock is held while the system's loader runs, and no thread ever waits for another's load: it opens the file too,
  // the system gives both the same library, and the first to finish is kept. (Waiting deadlocks: glibc holds its own
  // lock while constructors run, also those that a host's dlopen() runs, and the other thread may need it.)
  Result<std::shared_ptr<const Library>> open(const PluginFile &facts);

  // Closes what is open of the file with this absolute path, or of the file that has this name now. BKR_WRONG_STATE (it
  // is not open), BKR_BUSY (it has users: how many; nothing was closed), BKR_STAYS_RESIDENT (closed, but the system
  // keeps it: why; or not to be closed, since its file was written over).
  Result<void> close(const std::string &path);

 private:
  struct Entry {
    explicit Entry(const FileIdentity &of) : content(of) {}
    const FileIdentity content;              // what makes the code the same
    std::shared_ptr<const Library> library;  // the table's own use of it
    std::string opened_as;                   // the spelling of its last opening
    bool resident = false;                   // closed, and still in memory
    std::optional<Failure> thrown;           // a constructor of it threw
    int at_work = 0;                         // threads that are opening or closing it
    uint32_t fork_generation = 0;            // of the process that they belong to
    bool is_in_memory() const noexcept { return library || resident; }
    int working_here() const noexcept;  // those of at_work that did not stay behind when the process forked
  };
  class Work;
  using Lock = std::unique_lock<ForkSafeMutex>;
  std::optional<Failure> objection(const PluginFile &facts, const Entry &entry) const;
  Entry &entry_of(const std::string &path, const FileIdentity &content);
  std::string spelling(const std::string &path, const Entry &entry) const;
  Result<std::shared_ptr<const Library>> open_now(const PluginFile &facts, std::string opened_as) const;
  Result<void> close_now(Lock &lock, Entry &entry, const Result<FileIdentity> &file);

  ForkSafeMutex mutex_;
  // Neither entries nor what leads to them ever go.
  std::unordered_multimap<Inode, Entry, InodeHash> entries_;  // one for each content that its file ever had
  std::unordered_multimap<uint64_t, Entry *> of_path_;        // by a path's hash: what was ever opened by it
  std::string thrower_;                                       // a file whose constructor threw, if there is one
};

}  // namespace bkr::core

#endif  // BKR_LOAD_LIBRARY_TABLE_H
