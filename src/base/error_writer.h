// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_BASE_ERROR_WRITER_H
#define BKR_BASE_ERROR_WRITER_H

#include <backend_registry/status.h>

#include <exception>
#include <new>

#include "base/failure.h"

namespace bkr::core {

// Writes a failure into the caller's bkr_error, if there is one. None of the three needs memory.
void write_error(bkr_error *error, const Failure &failure) noexcept;
void write_out_of_memory(bkr_error *error) noexcept;
void write_defect(bkr_error *error, const char *exception) noexcept;  // its text

// Whether `error` is NULL or of a size that can be written to.
inline bool is_valid(const bkr_error *error) noexcept { return !error || error->struct_size >= sizeof(bkr_error); }

// The edge of every function with a C face: runs `work` (which returns a Result<void>), and turns its failure, or
// an exception, into a status and a text.
template <class Work>
bkr_status answer(bkr_error *error, const Work &work) noexcept {
  if (!is_valid(error)) return BKR_INVALID_ARGUMENT;
  try {
    if (const Result<void> result = work(); !result) {
      write_error(error, result.error());
      return result.error().status;
    }
    return BKR_OK;
  } catch (const std::bad_alloc &) {
    write_out_of_memory(error);
    return BKR_OUT_OF_MEMORY;
  } catch (const std::exception &exception) {
    write_defect(error, exception.what());
    return BKR_INTERNAL;
  } catch (...) {
    write_defect(error, "one of an unknown type");
    return BKR_INTERNAL;
  }
}

}  // namespace bkr::core

#endif  // BKR_BASE_ERROR_WRITER_H
