// SPDX-License-Identifier: Apache-2.0
#include "load/library_table.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <link.h>
#include <pthread.h>
#endif

#include "base/hash.h"
#include "base/process_wide.h"
#include "base/text.h"
#include "discover/mapped_file.h"
#include "load/dependencies.h"
#include "load/load_failure.h"
#include "load/loaded_before.h"
#include "load/residence.h"

namespace bkr::core {

namespace {

constexpr int kMostSpellings = 16;

// A constructor threw on this thread: the system's loader still takes it for the holder of its lock.
thread_local bool holds_system_lock = false;

// The library whose destructors this thread runs: what they ask of it must not bring it back half destroyed.
thread_local const void *closing_on_this_thread = nullptr;

struct InsideClose {
  explicit InsideClose(const void *entry) : outer(std::exchange(closing_on_this_thread, entry)) {}
  ~InsideClose() { closing_on_this_thread = outer; }
  const void *outer;
};

#if defined(__linux__)
// The process was forked while another thread was changing the list of libraries, in the middle of dlopen(): glibc ends
// a child that opens one now.
std::atomic<bool> forked_in_the_loader{false};

void look_at_the_loader() {
  if (_r_debug.r_state != r_debug::RT_CONSISTENT) forked_in_the_loader = true;
}
#else
constexpr bool forked_in_the_loader = false;
#endif

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

LibraryTable::LibraryTable() {
#if defined(__linux__)
  pthread_atfork(nullptr, nullptr, look_at_the_loader);
#endif
}

int LibraryTable::Entry::working_here() const noexcept {
  return fork_generation == core::fork_generation() ? at_work : 0;
}

LibraryTable &LibraryTable::of_process() {
  static constinit ProcessWide<LibraryTable> table;
  return table.get();
}

LibraryTable::Entry &LibraryTable::entry_of(const std::string &path, const FileIdentity &content) {
  auto [at, end] = entries_.equal_range(Inode(content));
  while (at != end && at->second.content != content) ++at;
  if (at == end) at = entries_.emplace(Inode(content), content);
  Entry &entry = at->second;

  const uint64_t hash = hash_text(path);
  auto [known, last] = of_path_.equal_range(hash);
  while (known != last && known->second != &entry) ++known;
  if (known == last) of_path_.emplace(hash, &entry);
  return entry;
}

// The system's loader compares a path's text before the file, and would hand out the old code for a file that took
// another's place: such a one is opened under another spelling of its path.
std::string LibraryTable::spelling(const std::string &path, const Entry &entry) const {
  const auto [first, last] = of_path_.equal_range(hash_text(path));  // by other paths no spelling of this one
  const auto is_taken = [&, first = first, last = last](const std::string &text) {
    return std::any_of(first, last, [&](const auto &of_path) {
      const Entry &other = *of_path.second;
      return &other != &entry && (other.is_in_memory() || other.at_work > 0) && other.opened_as == text;
    });
  };
  std::string text = path;
  while (is_taken(text)) text.insert(text.rfind('/'), "/.");
  return text;
}

namespace {

// Whether what lies at an address comes from the file that was asked for, as far as the system tells. (By path or by
// inode: some file systems give other inodes there.)
bool is_from(const PluginFile &facts, uintptr_t address) {
  const std::optional<MappedFile> mapped = mapped_file(address);
  return !mapped || mapped->path == facts.path || mapped->inode == facts.identity.inode;
}

}  // namespace

Result<std::shared_ptr<const Library>> LibraryTable::open_now(const PluginFile &facts, std::string opened_as) const {
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
  for (int attempt = 0; attempt < kMostSpellings; ++attempt) {
    const LoadedBefore before(opened_as);
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
    // One that the system had by this name may be another: the host may have opened it before the file was replaced, or
    // another library may call itself so.
    if (!before.may_hold(*library) || is_from(facts, *base + static_cast<uintptr_t>(facts.image.load_begin))) {
      return std::make_shared<const Library>(facts.path, std::move(opened_as), std::move(*library), *base, facts.image);
    }
    opened_as.insert(opened_as.rfind('/'), "/.");
  }
  return fail({BKR_LOAD_FAILED, BKR_STAGE_LOAD,
               cat(facts.path, " cannot be loaded: the system's loader has other libraries by its name."),
               "Rename the file, or start the process anew.", 0});
}

// One thread's opening or closing of a file. Begun and ended under the lock, which is given up in between.
class LibraryTable::Work {
 public:
  Work(Lock &lock, Entry &entry) : lock_(lock), entry_(entry) {
    entry.fork_generation = fork_generation();
    ++entry.at_work;
  }
  Work(const Work &) = delete;
  ~Work() {
    if (!lock_.owns_lock()) lock_.lock();
    --entry_.at_work;
  }

 private:
  Lock &lock_;
  Entry &entry_;
};

// What stands against opening a file that is not open, whatever is in it.
std::optional<Failure> LibraryTable::objection(const PluginFile &facts, const Entry &entry) const {
  if (entry.thrown) return entry.thrown;
  if (!thrower_.empty() && !holds_system_lock) {
    return Failure{BKR_LOAD_FAILED, BKR_STAGE_LOAD,
                   cat(facts.path, " cannot be loaded: a constructor of ", thrower_,
                       " threw on another thread, which holds the lock of the system's loader since."),
                   "Start the process anew, without that plugin or with a mended one; until then a call to dlopen, "
                   "dlsym or dladdr hangs on this thread.",
                   0};
  }
  if (closing_on_this_thread == &entry) {
    return Failure{BKR_REENTRANT, BKR_STAGE_LOAD,
                   cat(facts.path, " is being unloaded on this thread: a destructor of it asks for it."),
                   "Ask for it again when it is unloaded.", 0};
  }
  if (entry.at_work > entry.working_here()) {
    return Failure{BKR_BUSY, BKR_STAGE_LOAD,
                   cat(facts.path, " was being loaded by another thread when this process was forked."),
                   "It can't be loaded in this process any more; load before forking, or fork before loading.", 0};
  }
  if (forked_in_the_loader) {
    return Failure{BKR_BUSY, BKR_STAGE_LOAD,
                   cat(facts.path,
                       " cannot be loaded: the system's loader was in the middle of a load on another thread when this "
                       "process was forked."),
                   "This process can load nothing more; load before forking, or fork before loading.", 0};
  }
  return std::nullopt;
}

Result<std::shared_ptr<const Library>> LibraryTable::open(const PluginFile &facts) {
  std::shared_ptr<const Library> surplus;  // closed when the lock is given up
  Lock lock(mutex_);
  const FileIdentity content = content_of(facts);
  Entry &entry = entry_of(facts.path, content);
  if (entry.library) return entry.library;
  if (std::optional<Failure> against = objection(facts, entry)) return fail(std::move(*against));
  std::vector<std::string> earlier;  // openings of what this very file held before
  for (auto [at, end] = entries_.equal_range(Inode(content)); at != end; ++at) {
    const Entry &other = at->second;
    if (other.is_in_memory() && &other != &entry) earlier.push_back(other.opened_as);
  }
  if (!entry.resident && entry.at_work == 0) entry.opened_as = spelling(facts.path, entry);
  std::string opened_as = entry.opened_as;

  const Work work(lock, entry);
  lock.unlock();
  // The system's loader would hand out the code that it has of this inode. (Asked now: what stayed resident may have
  // gone meanwhile, and its inode may be another file's.)
  std::optional<InsideSystemLoader> inside(std::in_place);
  const bool is_overwritten = std::any_of(earlier.begin(), earlier.end(), DynamicLibrary::is_mapped);
  Result<std::shared_ptr<const Library>> library =
      is_overwritten ? fail(written_over(facts)) : open_now(facts, std::move(opened_as));
  inside.reset();
  lock.lock();
  if (library && !entry.library) {
    entry.library = *library;
    entry.opened_as = entry.library->opened_as();
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
  const Result<FileIdentity> file = identify(path);
  Lock lock(mutex_);
  std::vector<Entry *> open;  // more than one if the file was replaced meanwhile
  const auto take = [&](Entry &entry) {
    if (std::find(open.begin(), open.end(), &entry) == open.end()) open.push_back(&entry);
  };
  // (What was opened by this path once may be open by another one now: a file can have several.)
  for (auto [at, end] = of_path_.equal_range(hash_text(path)); at != end; ++at) {
    if (at->second->library && at->second->library->path() == path) take(*at->second);
  }
  if (file) {
    for (auto [at, end] = entries_.equal_range(Inode(*file)); at != end; ++at) {
      if (at->second.library) take(at->second);
    }
  }
  if (open.empty()) {
    return fail(BKR_WRONG_STATE, cat(path, " is not loaded."),
                "Only what a registry of this process has loaded can be unloaded.");
  }
  long users = 0;
  for (const Entry *entry : open) users += entry->library.use_count() - 1 + entry->working_here();
  if (users > 0) return fail(in_use(path, users));
  Result<void> result;
  for (Entry *entry : open) {
    if (!entry->library) continue;  // closed by another thread, while this one closed the one before
    Result<void> closed = close_now(lock, *entry, file);
    if (result) result = std::move(closed);
  }
  return result;
}

Result<void> LibraryTable::close_now(Lock &lock, Entry &entry, const Result<FileIdentity> &file) {
  const FileIdentity &content = entry.content;
  const std::string path = entry.library->path();
  if (file && content.same_inode(*file) && (file->size != content.size || file->mtime_ns != content.mtime_ns)) {
    return fail({BKR_STAYS_RESIDENT, BKR_STAGE_NONE,
                 cat(path, " is not closed: its file was written over, and what is in it now is not its end."),
                 "Put new files in place by renaming them, and start this process anew.", 0});
  }
  const std::string opened_as = entry.library->opened_as();
  const uintptr_t base = entry.library->base();
  const uintptr_t begin = entry.library->begin();
  const Work work(lock, entry);
  std::shared_ptr<const Library> closing = std::move(entry.library);
  const std::weak_ptr<const Library> closed = closing;
  entry.resident = true;  // until the system says otherwise
  lock.unlock();
  std::optional<Residence> residence;
  {
    const InsideSystemLoader inside_loader;
    const InsideClose inside_close(&entry);
    closing.reset();  // its destructors run here
    residence = find_residence(opened_as, base, begin);
  }
  lock.lock();
  // A factory may have got hold of it between the count of its users and now, or have opened it again.
  if (std::shared_ptr<const Library> still_used = closed.lock()) {
    if (!entry.library) entry.library = std::move(still_used);
    entry.resident = false;
    return fail(in_use(path, 1));
  }
  entry.resident = !entry.library && residence;
  if (entry.library || !residence) return {};
  return fail({BKR_STAYS_RESIDENT, BKR_STAGE_NONE,
               cat(path, " was closed, but stays in memory: ", residence->reason, "."), residence->next, 0});
}

}  // namespace bkr::core
