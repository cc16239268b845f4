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
#include "discover/plugin_file.h"
#include "load/dynamic_library.h"

namespace bkr::core {

// A library that is open, with what is needed to prove that a symbol is its own.
class Library {
 public:
  Library(std::string path, DynamicLibrary library, uintptr_t begin, uintptr_t end)
      : path_(std::move(path)), library_(std::move(library)), begin_(begin), end_(end) {}

  const std::string &path() const noexcept { return path_; }

  // The create function of that name. BKR_SYMBOL_MISSING also if another library's symbol answers for it.
  Result<bkr_create_backend_fn> create_function(const std::string &symbol) const;

 private:
  const std::string path_;
  const DynamicLibrary library_;
  const uintptr_t begin_;
  const uintptr_t end_;
};

// The libraries that this process has open, one opening for a file's identity, shared by all registries. Never
// destroyed: nothing is unmapped at exit.
class LibraryTable {
 public:
  static LibraryTable &of_process();

  // Opens the file that `facts` describe, or finds it open. `facts.failure` must be empty. BKR_STALE (the file is
  // another one than was read), BKR_LOAD_FAILED, BKR_DEPENDENCY_MISSING, BKR_BUSY (its load was running when the
  // process forked). No lock is held while the system's loader runs.
  //
  // A thread waits while another opens the same file, unless it is inside a load itself: then it opens the file
  // too, and the first to finish is kept. (Waiting there deadlocks: glibc holds its own lock while constructors
  // run, and the other thread may need it.)
  Result<std::shared_ptr<const Library>> open(const PluginFile &facts);

 private:
  struct Entry {
    std::shared_ptr<const Library> library;
    std::optional<Failure> thrown;  // a constructor of it threw
    int openers = 0;
    int64_t process = 0;  // that the openers belong to
  };
  std::string spelling(const std::string &path, const FileIdentity &content) const;
  Result<std::shared_ptr<const Library>> open_now(const PluginFile &facts, const std::string &path) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::unordered_map<FileIdentity, Entry, FileIdentityHash> entries_;
  std::string thrower_;                                      // a file whose constructor threw, if there is one
  std::unordered_map<std::string, FileIdentity> spellings_;  // that the system's loader knows, and for which content
};

}  // namespace bkr::core

#endif  // BKR_LOAD_LIBRARY_TABLE_H
