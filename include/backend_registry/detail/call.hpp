// SPDX-License-Identifier: Apache-2.0
#ifndef BACKEND_REGISTRY_DETAIL_CALL_HPP
#define BACKEND_REGISTRY_DETAIL_CALL_HPP

// How the C++ face calls the C face: a status becomes a bkr::error with its text, a JSON document a string.

#include <cstddef>
#include <cstdint>
#include <string>

#include "../error.hpp"
#include "../types.h"

namespace bkr::detail {

// For calls into a plugin, which are made once: what() holds up to 8 KiB of text.
template <class Call>
void check_once(const Call &call) {
  char text[8192];
  text[0] = '\0';
  bkr_error failure = {sizeof(bkr_error), 0, 0, sizeof(text), text, 0, 0};
  const bkr_status status = call(&failure);
  if (status != BKR_OK) throw error(status, text, failure.stage, failure.native_code);
}

// For calls that change nothing when they fail: what() is never cut, since a call whose text did not fit is made
// again with more room. (If it succeeds then, because another thread changed the registry, all the better.)
template <class Call>
void check(const Call &call) {
  char text[1024];
  text[0] = '\0';
  bkr_error failure = {sizeof(bkr_error), 0, 0, sizeof(text), text, 0, 0};
  bkr_status status = call(&failure);
  if (status == BKR_OK) return;
  std::string longer;
  while (failure.msg_len >= failure.msg_cap) {
    longer.assign(std::size_t{failure.msg_len} + 1, '\0');
    failure = {sizeof(bkr_error), 0, 0, static_cast<uint32_t>(longer.size()), longer.data(), 0, 0};
    status = call(&failure);
    if (status == BKR_OK) return;
  }
  throw error(status, failure.msg, failure.stage, failure.native_code);
}

// The document of a call (char *buffer, size_t cap, size_t *need, bkr_error *). It may grow between two calls.
template <class Call>
std::string document(const Call &call) {
  std::string json;
  std::size_t need = 0;
  check([&](bkr_error *failure) { return call(nullptr, std::size_t{0}, &need, failure); });
  bool whole = false;
  while (!whole) {
    json.resize(need);
    check([&](bkr_error *failure) {
      const bkr_status status = call(json.data(), json.size(), &need, failure);
      whole = status == BKR_OK;
      return status == BKR_BUFFER_TOO_SMALL ? BKR_OK : status;
    });
  }
  json.resize(need > 0 ? need - 1 : 0);  // need counts the NUL
  return json;
}

}  // namespace bkr::detail

#endif  // BACKEND_REGISTRY_DETAIL_CALL_HPP
