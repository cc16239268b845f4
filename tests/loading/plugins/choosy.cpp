// SPDX-License-Identifier: Apache-2.0
// A plugin whose every call is the test's to answer; without a test it serves everything. It lets exceptions out.
#include "choosy.h"

#include <string>

namespace {

struct Backend {
  bkr_backend head;
  std::string name;
};

const std::string &name_of(const bkr_backend *backend) { return reinterpret_cast<const Backend *>(backend)->name; }

choosy_call call_of(const char *function, const std::string &name) {
  return {function, name.c_str(), nullptr, 0, nullptr, nullptr, nullptr, name.c_str()};
}

bkr_status ask(choosy_call &call) { return choosy_does ? choosy_does(&call) : BKR_OK; }

const char *BKR_CALL name(const bkr_backend *backend) {
  choosy_call call = call_of("name", name_of(backend));
  ask(call);
  return call.own_name;
}

bkr_status BKR_CALL validate(bkr_backend *backend, const bkr_option *facts, uint32_t count, bkr_reason_fn emit,
                             void *user, bkr_error *error) {
  choosy_call call = call_of("validate", name_of(backend));
  call.facts = facts;
  call.count = count;
  call.emit = emit;
  call.user = user;
  call.error = error;
  return ask(call);
}

bkr_status BKR_CALL get_interface(bkr_backend *, const char *, const void **, bkr_error *) { return BKR_UNSUPPORTED; }

void BKR_CALL destroy(bkr_backend *backend) {
  choosy_call call = call_of("destroy", name_of(backend));
  ask(call);
  delete reinterpret_cast<Backend *>(backend);
}

const bkr_backend_api api = {sizeof(bkr_backend_api), 0, name, validate, nullptr, get_interface, destroy};
const bkr_backend_api no_destroy = {sizeof(bkr_backend_api), 0, name, validate, nullptr, get_interface, nullptr};

}  // namespace

bkr_status BKR_CALL create_backend(const bkr_create_args *args, bkr_backend **backend, bkr_error *error) {
  static Backend incomplete{{&no_destroy, nullptr}, "INCOMPLETE"};
  const std::string made = args->backend_name;
  choosy_call call = call_of("create", made);
  call.error = error;
  const bkr_status status = ask(call);
  if (status != BKR_OK) return status;
  // A test that takes the name away wants an incomplete table.
  *backend = call.own_name ? &(new Backend{{&api, nullptr}, made})->head : &incomplete.head;
  return BKR_OK;
}

BKR_PLUGIN("test.choosy", "1.0",
           BKR_BACKEND("attention", "CHOOSY", "test.CHOOSY.Backend", create_backend, "bkr.attention/1", "", 0));
