// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_API_HANDLES_H
#define BKR_API_HANDLES_H

#include <backend_registry/registry.h>

#include <initializer_list>
#include <span>
#include <string_view>

#include "base/error_writer.h"
#include "base/text.h"
#include "load/factory.h"
#include "opened/opened_registry.h"

namespace bkr::core {

// The opaque types of the C face are the classes inside under other names.
inline OpenedRegistry *inside(bkr_registry *registry) { return reinterpret_cast<OpenedRegistry *>(registry); }
inline const OpenedRegistry *inside(const bkr_registry *registry) {
  return reinterpret_cast<const OpenedRegistry *>(registry);
}
inline Family *inside(bkr_family *family) { return reinterpret_cast<Family *>(family); }
inline const Family *inside(const bkr_family *family) { return reinterpret_cast<const Family *>(family); }
inline Member *inside(bkr_member *member) { return reinterpret_cast<Member *>(member); }
inline const Member *inside(const bkr_member *member) { return reinterpret_cast<const Member *>(member); }
inline const Factory *inside(const bkr_factory *factory) { return reinterpret_cast<const Factory *>(factory); }

inline bkr_registry *handle(OpenedRegistry *registry) { return reinterpret_cast<bkr_registry *>(registry); }
inline bkr_family *handle(Family *family) { return reinterpret_cast<bkr_family *>(family); }
inline bkr_member *handle(Member *member) { return reinterpret_cast<bkr_member *>(member); }
inline bkr_factory *handle(const Factory *factory) {
  return reinterpret_cast<bkr_factory *>(const_cast<Factory *>(factory));
}

struct Argument {
  std::string_view name;
  const void *value;
};

// BKR_INVALID_ARGUMENT for the first argument that is NULL.
inline Result<void> require(std::string_view function, std::initializer_list<Argument> arguments) {
  for (const Argument &argument : arguments) {
    if (!argument.value) {
      return fail(BKR_INVALID_ARGUMENT, cat(function, ": ", argument.name, " is NULL."),
                  "Give it; if it came from a call before, look at the status of that.");
    }
  }
  return {};
}

// Options or facts: an array that may be NULL only if it is empty, and no NULL in it.
inline Result<std::span<const bkr_option>> require_options(std::string_view function, std::string_view name,
                                                           const bkr_option *options, uint32_t count) {
  if (count > 0 && !options) {
    return fail(BKR_INVALID_ARGUMENT, cat(function, ": ", name, " is NULL, but count is ", count, "."),
                "Give the array, or the count 0.");
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (!options[i].key || !options[i].value) {
      return fail(BKR_INVALID_ARGUMENT, cat(function, ": ", name, "[", i, "] lacks its key or value."),
                  "Give both, or leave it out.");
    }
  }
  return std::span<const bkr_option>(options, count);
}

// For what the C face declares and this version does not do yet.
inline bkr_status not_in_this_version(std::string_view function, bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    return fail(BKR_UNSUPPORTED, cat(function, "() is declared, but not in this version of the library yet."),
                "Do without it, or use a newer version of the library.");
  });
}

}  // namespace bkr::core

#endif  // BKR_API_HANDLES_H
