// SPDX-License-Identifier: Apache-2.0
#include "load/library_table.h"

#include "base/process.h"
#include "base/text.h"
#include "load/dependencies.h"
#include "load/load_failure.h"

namespace bkr::core {

namespace {

// How many loads this thread is inside of. (A plain number: a thread-local object with a destructor would keep
// this library in memory for ever.)
thread_local int loads_on_this_thread = 0;

// A constructor threw on this thread: the system's loader still takes it for the holder of its lock.
thread_local bool holds_system_lock = false;

struct InsideLoad {
  InsideLoad() { ++loads_on_this_thread; }
  ~InsideLoad() { --loads_on_this_thread; }
};

// What makes the code the same: another right or name of a file changes its ctime and nothing else.
FileIdentity content_of(const PluginFile &facts) {
  FileIdentity content = facts.identity;
  content.ctime_ns = 0;
  return content;
}

Failure stale(const PluginFile &facts, std::string_view what) {
  return {BKR_STALE, BKR_STAGE_LOAD, cat(facts.path, " ", what),
          "Rescan the registry, so that it is read anew; then load again.", 0};
}

}  // namespace

Result<bkr_create_backend_fn> Library::create_function(const std::string &symbol) const {
  void *address = library_.symbol(symbol.c_str());
  if (!address) {
    return fail({BKR_SYMBOL_MISSING, BKR_STAGE_SYMBOL, cat(path_, " has no symbol ", symbol, "."),
                 cat("Export it from the plugin: BKR_EXPORT bkr_status BKR_CALL ", symbol,
                     "(const bkr_create_args *, bkr_backend **, bkr_error *), with C linkage; or name another one "
                     "as `file::symbol`."),
                 0});
  }
  const auto where = reinterpret_cast<uintptr_t>(address);
  if (where < begin_ || where >= end_) {
    return fail({BKR_SYMBOL_MISSING, BKR_STAGE_SYMBOL,
                 cat(path_, " has no symbol ", symbol, " of its own; one of the libraries it needs has one."),
                 "Export it from the plugin itself, or name the library that has it.", 0});
  }
  return reinterpret_cast<bkr_create_backend_fn>(address);
}

LibraryTable &LibraryTable::of_process() {
  static auto *const table = new LibraryTable();
  return *table;
}

// The system's loader compares a path's text before the file, and would hand out the old code for a file that took
// another's place: such a one is opened under another spelling of its path.
std::string LibraryTable::spelling(const std::string &path, const FileIdentity &content) const {
  std::string text = path;
  for (auto taken = spellings_.find(text); taken != spellings_.end() && taken->second != content;
       taken = spellings_.find(text)) {
    text.insert(text.rfind('/'), "/.");
  }
  return text;
}

Result<std::shared_ptr<const Library>> LibraryTable::open_now(const PluginFile &facts, const std::string &path) const {
  const Result<FileIdentity> identity = identify(facts.path);
  if (!identity) return fail(stale(facts, cat("was read, but is gone now: ", identity.error().reason)));
  if (*identity != facts.identity) return fail(stale(facts, "is another file than was read."));

  if (const std::string_view word = DynamicLibrary::expanded_word(path); !word.empty()) {
    return fail({BKR_LOAD_FAILED, BKR_STAGE_LOAD,
                 cat(facts.path, " cannot be loaded: the system's loader would put something else in the place of '",
                     word, "' in its path."),
                 "Rename the file or its directory.", 0});
  }
  // A library cut short ends a plain dlopen() in a signal, whoever needs it.
  if (const std::optional<DamagedDependency> damaged = find_damaged_dependency(facts)) {
    return fail({BKR_BAD_FILE, BKR_STAGE_LOAD,
                 cat(facts.path, " cannot be loaded: ", damaged->needed_by, " needs ", damaged->file,
                     ", which cannot be used: ", damaged->reason),
                 "Build or copy that library anew.", 0});
  }
  Result<DynamicLibrary> library = DynamicLibrary::open(path);
  if (!library && library.error().status == BKR_PLUGIN_EXCEPTION) {
    return fail(
        {BKR_PLUGIN_EXCEPTION, BKR_STAGE_LOAD,
         cat(facts.path, " cannot be loaded: a constructor of it threw: ", library.error().reason),
         "This is a defect of the plugin. Start the process anew: the system's loader does not recover from it, "
         "and other threads can load nothing more.",
         0});
  }
  if (!library) return fail(explain_load_failure(facts, library.error().reason));
  const Result<uintptr_t> base = library->base();
  if (!base) return fail(base.error());
  return std::make_shared<const Library>(facts.path, std::move(*library),
                                         *base + static_cast<uintptr_t>(facts.image.load_begin),
                                         *base + static_cast<uintptr_t>(facts.image.load_end));
}

Result<std::shared_ptr<const Library>> LibraryTable::open(const PluginFile &facts) {
  const int64_t process = process_id();
  std::unique_lock lock(mutex_);
  const FileIdentity content = content_of(facts);
  Entry &entry = entries_[content];
  if (entry.thrown) return fail(*entry.thrown);
  if (!thrower_.empty() && !holds_system_lock) {
    return fail({BKR_LOAD_FAILED, BKR_STAGE_LOAD,
                 cat(facts.path, " cannot be loaded: a constructor of ", thrower_,
                     " threw on another thread, which holds the lock of the system's loader since."),
                 "Mend that plugin, and start the process anew.", 0});
  }
  for (;;) {
    if (entry.library) return entry.library;
    if (entry.openers == 0) break;
    if (entry.process != process) {
      return fail({BKR_BUSY, BKR_STAGE_LOAD,
                   cat(facts.path, " was being loaded by another thread when this process was forked."),
                   "It can't be loaded in this process any more; load before forking, or fork before loading.", 0});
    }
    if (loads_on_this_thread > 0) break;
    changed_.wait(lock);
  }
  for (const auto &[other, opened] : entries_) {
    if (!opened.library || other == content || !other.same_inode(content)) continue;
    return fail({BKR_STALE, BKR_STAGE_LOAD,
                 cat(facts.path, " was written over while this process uses the code that was in it before."),
                 "Put new files in place by renaming them, and start this process anew.", 0});
  }
  const std::string path = spelling(facts.path, content);
  ++entry.openers;
  entry.process = process;
  lock.unlock();

  Result<std::shared_ptr<const Library>> library = [&] {
    const InsideLoad inside;
    return open_now(facts, path);
  }();

  lock.lock();
  --entry.openers;
  if (library && !entry.library) {
    entry.library = *library;
    spellings_.emplace(path, content);
  }
  if (!library && library.error().status == BKR_PLUGIN_EXCEPTION) {
    holds_system_lock = true;
    thrower_ = facts.path;
    entry.thrown = library.error();  // half constructed: it would open without a word the next time
  }
  if (entry.library) library = entry.library;
  changed_.notify_all();
  return library;
}

}  // namespace bkr::core
