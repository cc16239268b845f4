// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_BASE_REQUEST_H
#define BKR_BASE_REQUEST_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/failure.h"
#include "base/text.h"

namespace bkr::core {

// The rule for structs that come in: at least as long as their first version, and what lies behind what we know is
// zero. (Every struct of version 1 is checked against its size now; a longer one will keep its first size here.)
template <class Request>
Result<void> check_request(const Request *request, std::string_view name) {
  const uint32_t size = request->struct_size;
  if (size < sizeof(Request)) {
    return fail(BKR_INVALID_ARGUMENT,
                cat(name, ": struct_size is ", size, "; at least ", sizeof(Request), " bytes are needed."),
                "Set struct_size to sizeof the struct.");
  }
  const auto *bytes = reinterpret_cast<const unsigned char *>(request);
  if (std::any_of(bytes + sizeof(Request), bytes + size, [](unsigned char byte) { return byte != 0; })) {
    return fail(BKR_INVALID_ARGUMENT,
                cat(name, ": struct_size is ", size, ", and what lies behind the ", sizeof(Request),
                    " bytes that this library knows is not zero."),
                "The caller asks for something newer than this library; update the library.");
  }
  return {};
}

}  // namespace bkr::core

#endif  // BKR_BASE_REQUEST_H
