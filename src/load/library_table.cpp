// SPDX-License-Identifier: Apache-2.0
#include "load/library_table.h"

#include "base/process.h"
#include "base/text.h"
#include "load/load_failure.h"

namespace bkr::core {

namespace {

// How many loads this thread is inside of. (A plain number: a thread-local object with a destructor would keep
// this library in memory for ever.)
thread_local int loads_on_this_thread = 0;

struct InsideLoad {
  InsideLoad() { ++loads_on_this_thread; }
  ~InsideLoad() { --loads_on_this_thread; }
};

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

Result<std::shared_ptr<const Library>> LibraryTable::open_now(const PluginFile &facts) const {
  const Result<FileIdentity> identity = identify(facts.path);
  if (!identity) return fail(stale(facts, cat("was read, but is gone now: ", identity.error().reason)));
  if (*identity != facts.identity) return fail(stale(facts, "is another file than was read."));

  Result<DynamicLibrary> library = DynamicLibrary::open(facts.path);
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
  Entry &entry = entries_[facts.identity];
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
  // The system's loader compares a path's text before the file, and would hand out the old code.
  const auto opened = opened_paths_.find(facts.path);
  if (opened != opened_paths_.end() && opened->second != facts.identity) {
    return fail({BKR_STALE, BKR_STAGE_LOAD,
                 cat(facts.path, " was replaced while the file that it was before is still in use by this process."),
                 "Put the new file under another name, or start the process anew.", 0});
  }
  ++entry.openers;
  entry.process = process;
  lock.unlock();

  Result<std::shared_ptr<const Library>> library = [&] {
    const InsideLoad inside;
    return open_now(facts);
  }();

  lock.lock();
  --entry.openers;
  if (library && !entry.library) {
    entry.library = *library;
    opened_paths_.emplace(facts.path, facts.identity);
  }
  if (entry.library) library = entry.library;
  changed_.notify_all();
  return library;
}

}  // namespace bkr::core
