// SPDX-License-Identifier: Apache-2.0
#include <backend_registry/plugin.h>
#include <dlfcn.h>

#include <cstring>
#include <stdexcept>
#include <string>

#include "probe.h"

// A plugin in C++ that lets its exceptions out. LOADING_TWIN: the text its code gives; several libraries are made of
// this source, and their class has one name in all of them. LOADING_THROWS: an exception leaves its constructor.
// LOADING_UNIQUE: it has a symbol that is unique in the process. LOADING_THREAD_LOCAL: each thread that creates a
// backend gets an object with a destructor.

#define LOADING_TEXT_OF(word) #word
#define LOADING_TEXT(word) LOADING_TEXT_OF(word)

namespace loading_plugin {

struct Backend;

class Greeter {
 public:
  virtual ~Greeter();
  virtual const char *greeting() const;
};
Greeter::~Greeter() = default;
const char *Greeter::greeting() const { return LOADING_TEXT(LOADING_TWIN); }

Greeter *greeter() {
  static Greeter one;
  return &one;
}

#if defined(LOADING_THROWS)
const struct Thrower {
  Thrower() { throw std::runtime_error("the constructor is out of order"); }
} thrower;
#endif

#if defined(LOADING_UNIQUE)
template <class T>
struct __attribute__((visibility("default"))) Counted {
  static inline int count = 0;
};
#endif

#if defined(LOADING_THREAD_LOCAL)
struct Note {
  ~Note() { at = nullptr; }
  const char *at = nullptr;
};
thread_local Note note;
#endif

struct Backend {
  bkr_backend head;
  std::string fault;  // the call that throws
};

const Backend &own(const bkr_backend *backend) { return *reinterpret_cast<const Backend *>(backend); }

void throw_if(const bkr_backend *backend, const char *call) {
  if (own(backend).fault == call) throw std::runtime_error(std::string(call) + " is out of order");
}

const char *BKR_CALL name(const bkr_backend *backend) {
  throw_if(backend, "name");
  return LOADING_TEXT(LOADING_TWIN);
}

bkr_status BKR_CALL validate(bkr_backend *backend, const bkr_option *, uint32_t, bkr_reason_fn, void *, bkr_error *) {
  throw_if(backend, "validate");
  return BKR_OK;
}

bkr_status BKR_CALL init(bkr_backend *backend, const bkr_device *, bkr_error *) {
  throw_if(backend, "init");
  return BKR_OK;
}

const char *code() { return greeter()->greeting(); }

const char *file() {
  Dl_info info;
  return dladdr(reinterpret_cast<const void *>(&code), &info) ? info.dli_fname : "";
}

const char *nothing(const bkr_backend *) { return ""; }

bkr_status BKR_CALL get_interface(bkr_backend *backend, const char *id, const void **table, bkr_error *) {
  throw_if(backend, "get_interface");
  static const loading_probe probe = {sizeof(loading_probe), 0, code, file, nothing, nothing};
  if (std::strcmp(id, LOADING_PROBE) != 0) return BKR_UNSUPPORTED;
  *table = &probe;
  return BKR_OK;
}

void BKR_CALL destroy(bkr_backend *backend) {
  const std::string fault = own(backend).fault;
  delete reinterpret_cast<Backend *>(backend);
  if (fault == "destroy") throw std::runtime_error("destroy is out of order");
}

const bkr_backend_api api = {sizeof(bkr_backend_api), 0, name, validate, init, get_interface, destroy};

}  // namespace loading_plugin

bkr_status BKR_CALL create_backend(const bkr_create_args *args, bkr_backend **backend, bkr_error *) {
  std::string fault;
  for (uint32_t i = 0; i < args->option_count; ++i) {
    if (std::strcmp(args->options[i].key, "throw") == 0) fault = args->options[i].value;
  }
  if (fault == "create") throw std::runtime_error("create is out of order");
  if (fault == "a number") throw 42;
#if defined(LOADING_UNIQUE)
  ++loading_plugin::Counted<int>::count;
#endif
#if defined(LOADING_THREAD_LOCAL)
  loading_plugin::note.at = "create";
#endif
  *backend = &(new loading_plugin::Backend{{&loading_plugin::api, nullptr}, fault})->head;
  return BKR_OK;
}

BKR_PLUGIN("test." LOADING_TEXT(LOADING_TWIN), "1.0",
           BKR_BACKEND("attention", LOADING_TEXT(LOADING_TWIN), "test." LOADING_TEXT(LOADING_TWIN) ".Backend",
                       create_backend, LOADING_PROBE, "", 0));
