// SPDX-License-Identifier: Apache-2.0
// The one file that includes Boost.DLL, and the one that opens libraries.
#include "load/dynamic_library.h"

#include <atomic>
#include <exception>
#include <filesystem>
#include <new>
#include <system_error>

#include "base/text.h"

#if !defined(_WIN32)
#include <dlfcn.h>
#include <link.h>
#if defined(__GLIBC__)
#include "load/loaded_tables.h"
#endif

// The system declares that dlopen() throws nothing, and a compiler that believes it ends the process when a
// library's constructor does. Called through this pointer it may throw, by Boost too.
static void *(*volatile open_that_may_throw)(const char *, int) = dlopen;
#define dlopen(path, mode) open_that_may_throw(path, mode)
#include <boost/dll/shared_library.hpp>
#undef dlopen
#else
#include <boost/dll/shared_library.hpp>
#endif

namespace bkr::core {

struct DynamicLibrary::Handle {
  boost::dll::shared_library library;
};

DynamicLibrary::DynamicLibrary(std::shared_ptr<const Handle> handle) : handle_(std::move(handle)) {}

namespace {

// Boost reports every failure as EBADF; the system's text says what happened.
std::string system_text(const std::error_code &error) {
#if defined(_WIN32)
  return error.message();
#else
  const char *text = dlerror();
  return text ? text : error.message();
#endif
}

}  // namespace

Result<DynamicLibrary> DynamicLibrary::open(const std::string &path) {
  namespace dll = boost::dll;
  auto handle = std::make_shared<Handle>();
  std::error_code error;
  try {
    // Immediate binding: a symbol that is missing shall fail here, not in the first kernel that needs it.
    handle->library.load(std::filesystem::path(path), error, dll::load_mode::rtld_now | dll::load_mode::rtld_local);
  } catch (const std::filesystem::filesystem_error &exception) {
    return fail({BKR_LOAD_FAILED, BKR_STAGE_LOAD, exception.what(), "", 0});  // Boost's, despite the error code
  } catch (const std::bad_alloc &exception) {
    if (!is_mapped(path)) throw;  // no memory for Boost; else a constructor's own
    return fail({BKR_PLUGIN_EXCEPTION, BKR_STAGE_LOAD, exception.what(), "", 0});
  } catch (const std::exception &exception) {
    return fail({BKR_PLUGIN_EXCEPTION, BKR_STAGE_LOAD, exception.what(), "", 0});
  } catch (...) {
    return fail({BKR_PLUGIN_EXCEPTION, BKR_STAGE_LOAD, "an exception of an unknown type", "", 0});
  }
  if (error) return fail({BKR_LOAD_FAILED, BKR_STAGE_LOAD, system_text(error), "", 0});
  return DynamicLibrary(std::move(handle));
}

std::string_view DynamicLibrary::expanded_word([[maybe_unused]] std::string_view path) noexcept {
#if defined(__GLIBC__)
  for (std::size_t at = path.find('$'); at != std::string_view::npos; at = path.find('$', at + 1)) {
    for (const std::string_view word : {"$ORIGIN", "$LIB", "$PLATFORM", "${ORIGIN}", "${LIB}", "${PLATFORM}"}) {
      if (path.substr(at).starts_with(word)) return path.substr(at, word.size());
    }
  }
#endif
  return {};
}

void *DynamicLibrary::symbol(const char *name) const noexcept {
#if defined(_WIN32)
  return reinterpret_cast<void *>(GetProcAddress(handle_->library.native(), name));
#else
  // Boost's has() and get() throw for a symbol that is missing and drop the reason.
  return dlsym(handle_->library.native(), name);
#endif
}

void *DynamicLibrary::native() const noexcept { return reinterpret_cast<void *>(handle_->library.native()); }

BKR_ORDERED_BY_THE_LOADER Result<uintptr_t> DynamicLibrary::base() const {
#if defined(_WIN32)
  return reinterpret_cast<uintptr_t>(handle_->library.native());
#else
  link_map *map = nullptr;
  if (dlinfo(handle_->library.native(), RTLD_DI_LINKMAP, &map) != 0 || !map) {
    return fail({BKR_LOAD_FAILED, BKR_STAGE_LOAD, system_text({}), "", 0});
  }
  return static_cast<uintptr_t>(map->l_addr);
#endif
}

namespace {

#if defined(__GLIBC__)
// Whether this library itself needs one of that name, which then is in memory as long as it is. (To ask the system
// costs ten times as much, for the C library and the like of each plugin.)
bool is_own_need(const std::string &name) noexcept {
  if (name.find_first_of("/$") != std::string::npos) return false;  // what it means depends on who asks
  static constinit std::atomic<const link_map *> own{nullptr};
  const link_map *map = own.load(std::memory_order_acquire);
  if (!map) {
    Dl_info info{};
    void *found = nullptr;
    if (dladdr1(&own, &info, &found, RTLD_DL_LINKMAP) == 0 || !found) return false;
    map = static_cast<const link_map *>(found);
    own.store(map, std::memory_order_release);
  }
  return LoadedTables(map->l_addr, map->l_ld).needs(name);
}
#else
constexpr bool is_own_need(const std::string &) { return false; }
#endif

}  // namespace

bool DynamicLibrary::is_mapped(const std::string &name) noexcept {
#if defined(_WIN32)
  return GetModuleHandleA(name.c_str()) != nullptr;
#else
  if (is_own_need(name)) return true;
  void *handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) {
    dlerror();  // nobody shall read this text as another failure's
    return false;
  }
  dlclose(handle);
  return true;
#endif
}

}  // namespace bkr::core
