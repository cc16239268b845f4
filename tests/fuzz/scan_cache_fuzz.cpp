// SPDX-License-Identifier: Apache-2.0
// What the scan cache holds of a file: bytes that another program may have made are refused, or are exactly what the
// facts that come of them are written as.
#include <backend_registry/status.h>

#include "budget.h"
#include "discover/file_facts.h"
#include "fuzz_target.h"
#include "require.h"

namespace bkr::core::fuzzing {
namespace {

void run(std::string_view bytes) {
  // A count makes room for as many items as there could be in the bytes.
  const Budget budget(64 * bytes.size() + 4096);
  FileFacts facts;
  const bool decoded = decode(bytes, facts);
  budget.require_kept("decoding facts");
  FileFacts none;
  if (!decoded) return require(encode(facts) == encode(none), "bytes that are refused left facts");
  require(encode(facts) == bytes, "the facts are written otherwise than they were read");
  require(!decode(bytes.substr(0, bytes.size() - 1), none), "they were accepted without their last byte");
  const std::optional<Failure> &failure = facts.image.failure;
  require(!failure || failure->status != BKR_OK, "a failure that is none");
}

}  // namespace
}  // namespace bkr::core::fuzzing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, std::size_t size) {
  bkr::core::fuzzing::run({reinterpret_cast<const char *>(data), size});
  return 0;
}
