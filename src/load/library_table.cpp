// SPDX-License-Identifier: Apache-2.0
#include "load/library_table.h"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "base/process.h"
#include "base/process_wide.h"
#include "base/text.h"
#include "load/dependencies.h"
#include "load/load_failure.h"
#include "load/residence.h"

namespace bkr::core {

namespace {

// How many openings and closings this thread is inside of. (A plain number: a thread-local object with a destructor
// would keep this library in memory for ever.)
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

Failure stale(const PluginFile &facts, std::string_view what, int32_t native_code = 0) {
  return {BKR_STALE, BKR_STAGE_LOAD, cat(facts.path, " ", what),
          "Rescan the registry, so that it is read anew; then load again.", native_code};
}

Failure stale(const PluginFile &facts, const Failure &now) {
  const std::string found = now.status == BKR_NOT_FOUND
                                ? std::string("is gone now.")
                                : cat("cannot be read now: ", std::generic_category().message(now.native_code), ".");
  return stale(facts, cat("was read, but ", found), now.native_code);
}

Failure written_over(const PluginFile &facts) {
  return {BKR_STALE, BKR_STAGE_LOAD,
          cat(facts.path, " was written over while the code that was in it before is in memory."),
          "Put new files in place by renaming them, and start this process anew.", 0};
}

}  // namespace

Library::~Library() {
  const InsideLoad inside;  // its destructors run here
  library_.reset();
}

Result<bkr_create_backend_fn> Library::create_function(const std::string &symbol) const {
  void *address = library_->symbol(symbol.c_str());
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
  static constinit ProcessWide<LibraryTable> table;
  return table.get();
}

// The system's loader compares a path's text before the file, and would hand out the old code for a file that took
// another's place: such a one is opened under another spelling of its path.
std::string LibraryTable::spelling(const std::string &path, const FileIdentity &content) const {
  const auto is_taken = [&](const std::string &text) {
    return std::any_of(entries_.begin(), entries_.end(), [&](const auto &known) {
      const auto &[other, entry] = known;
      return other != content && (entry.is_in_memory() || entry.at_work > 0) && entry.opened_as == text;
    });
  };
  std::string text = path;
  while (is_taken(text)) text.insert(text.rfind('/'), "/.");
  return text;
}

Result<std::shared_ptr<const Library>> LibraryTable::open_now(const PluginFile &facts,
                                                              const std::string &opened_as) const {
  const Result<FileIdentity> identity = identify(facts.path);
  if (!identity) return fail(stale(facts, identity.error()));
  if (*identity != facts.identity) return fail(stale(facts, "is another file than was read."));

  if (const std::string_view word = DynamicLibrary::expanded_word(opened_as); !word.empty()) {
    return fail({BKR_LOAD_FAILED, BKR_STAGE_LOAD,
                 cat(facts.path, " cannot be loaded: the system's loader would put something else in the place of '",
                     word, "' in its path."),
                 "Rename the file or its directory.", 0});
  }
  // A library cut short ends a plain dlopen() in a signal, whoever needs it.
  if (const std::optional<DamagedDependency> damaged = find_damaged_dependency(facts)) {
    return fail({BKR_BAD_FILE, BKR_STAGE_LOAD,
                 cat(facts.path, " cannot be loaded: ", damaged->needed_by == facts.path ? "it" : damaged->needed_by,
                     " needs ", damaged->file, ", which cannot be used: ", sentence(damaged->reason)),
                 "Build or copy that library anew.", 0});
  }
  Result<DynamicLibrary> library = DynamicLibrary::open(opened_as);
  if (!library && library.error().status == BKR_PLUGIN_EXCEPTION) {
    return fail(
        {BKR_PLUGIN_EXCEPTION, BKR_STAGE_LOAD,
         cat(facts.path, " cannot be loaded: a constructor of it threw: ", sentence(library.error().reason)),
         "This is a defect of the plugin. Start the process anew: the system's loader does not recover from it, "
         "and another thread that asks it for anything hangs (dlopen, dlsym, dladdr).",
         0});
  }
  if (!library) return fail(explain_load_failure(facts, library.error().reason));
  const Result<uintptr_t> base = library->base();
  if (!base) return fail(base.error());
  return std::make_shared<const Library>(facts.path, std::move(*library),
                                         *base + static_cast<uintptr_t>(facts.image.load_begin),
                                         *base + static_cast<uintptr_t>(facts.image.load_end));
}

// One thread's opening or closing of a file. Begun and ended under the lock, which is given up in between.
class LibraryTable::Work {
 public:
  Work(Lock &lock, Entry &entry) : lock_(lock), entry_(entry) {
    if (entry.at_work == 0) entry.done = std::make_shared<std::condition_variable_any>();
    entry.process = process_id();
    ++entry.at_work;
  }
  Work(const Work &) = delete;
  ~Work() {
    if (!lock_.owns_lock()) lock_.lock();
    --entry_.at_work;
    entry_.done->notify_all();
  }

 private:
  Lock &lock_;
  Entry &entry_;
};

Result<void> LibraryTable::wait_for_turn(Lock &lock, const PluginFile &facts, Entry &entry) {
  while (!entry.library && entry.at_work > 0) {
    if (entry.process != process_id()) {
      return fail({BKR_BUSY, BKR_STAGE_LOAD,
                   cat(facts.path, " was being loaded by another thread when this process was forked."),
                   "It can't be loaded in this process any more; load before forking, or fork before loading.", 0});
    }
    if (loads_on_this_thread > 0) break;
    const std::shared_ptr<std::condition_variable_any> done = entry.done;
    done->wait(lock);
  }
  return {};
}

Result<std::shared_ptr<const Library>> LibraryTable::open(const PluginFile &facts) {
  std::shared_ptr<const Library> surplus;  // closed when the lock is given up
  Lock lock(mutex_);
  const FileIdentity content = content_of(facts);
  Entry &entry = entries_[content];
  if (entry.library) return entry.library;
  if (entry.thrown) return fail(*entry.thrown);
  if (!thrower_.empty() && !holds_system_lock) {
    return fail({BKR_LOAD_FAILED, BKR_STAGE_LOAD,
                 cat(facts.path, " cannot be loaded: a constructor of ", thrower_,
                     " threw on another thread, which holds the lock of the system's loader since."),
                 "Start the process anew, without that plugin or with a mended one; until then a call to dlopen, dlsym "
                 "or dladdr hangs on this thread.",
                 0});
  }
  if (Result<void> turn = wait_for_turn(lock, facts, entry); !turn) return fail(std::move(turn.error()));
  if (entry.library) return entry.library;
  std::vector<std::string> earlier;  // openings of what this very file held before
  for (const auto &[other, opened] : entries_) {
    if (opened.is_in_memory() && other != content && other.same_inode(content)) earlier.push_back(opened.opened_as);
  }
  if (!entry.resident && entry.at_work == 0) entry.opened_as = spelling(facts.path, content);
  const std::string opened_as = entry.opened_as;

  const Work work(lock, entry);
  lock.unlock();
  Result<std::shared_ptr<const Library>> library = [&]() -> Result<std::shared_ptr<const Library>> {
    const InsideLoad inside;
    // The system's loader would hand out the code that it has of this inode. (Asked now: what stayed resident may
    // have gone meanwhile, and its inode may be another file's.)
    if (std::any_of(earlier.begin(), earlier.end(), DynamicLibrary::is_mapped)) return fail(written_over(facts));
    return open_now(facts, opened_as);
  }();
  lock.lock();
  if (library && !entry.library) {
    entry.library = *library;
    entry.resident = false;
  } else if (library) {
    surplus = *std::exchange(library, entry.library);
  }
  if (!library && library.error().status == BKR_PLUGIN_EXCEPTION) {
    holds_system_lock = true;
    thrower_ = facts.path;
    entry.thrown = library.error();  // half constructed: it would open without a word the next time
  }
  if (entry.library) library = entry.library;  // another thread may have succeeded
  return library;
}

namespace {

Failure in_use(const std::string &path, long users) {
  return {BKR_BUSY, BKR_STAGE_NONE,
          cat(path, " is in use: ", users, users == 1 ? " backend of it is alive." : " backends of it are alive."),
          "Destroy its backends first; calls to create one count until they return.", 0};
}

}  // namespace

Result<void> LibraryTable::close(const std::string &path) {
  Lock lock(mutex_);
  std::vector<Entry *> open;  // more than one if the file was replaced meanwhile
  long users = 0;
  for (auto &[content, entry] : entries_) {
    if (!entry.library || entry.library->path() != path) continue;
    open.push_back(&entry);
    users += entry.library.use_count() - 1 + entry.at_work;
  }
  if (open.empty()) {
    return fail(BKR_WRONG_STATE, cat(path, " is not loaded."),
                "Only what a registry of this process has loaded can be unloaded.");
  }
  if (users > 0) return fail(in_use(path, users));
  Result<void> result;
  for (Entry *entry : open) {
    Result<void> closed = close_now(lock, *entry);
    if (result) result = std::move(closed);
  }
  return result;
}

Result<void> LibraryTable::close_now(Lock &lock, Entry &entry) {
  const std::string path = entry.library->path();
  const Work work(lock, entry);
  std::shared_ptr<const Library> closing = std::move(entry.library);
  const std::weak_ptr<const Library> closed = closing;
  entry.resident = true;  // until the system says otherwise
  lock.unlock();
  closing.reset();
  const std::optional<Residence> residence = find_residence(entry.opened_as);
  lock.lock();
  // A factory may have got hold of it between the count of its users and now.
  if (std::shared_ptr<const Library> still_used = closed.lock()) {
    entry.library = std::move(still_used);
    entry.resident = false;
    return fail(in_use(path, entry.library.use_count() - 1));
  }
  entry.resident = residence.has_value();
  if (!residence) return {};
  return fail({BKR_STAYS_RESIDENT, BKR_STAGE_NONE,
               cat(path, " was closed, but stays in memory: ", residence->reason, "."), residence->next, 0});
}

}  // namespace bkr::core
