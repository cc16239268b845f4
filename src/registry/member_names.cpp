// SPDX-License-Identifier: Apache-2.0
#include "registry/member_names.h"

#include <algorithm>

#include "base/text.h"

namespace bkr::core {

namespace {

// Engines written in Python hold the same names in an Enum (3.11), where these are attributes already; three more
// (name, value, _value_) would break every member there. In the order of bytes.
constexpr std::string_view kReserved[] = {
    "__annotations__",
    "__base__",
    "__bases__",
    "__basicsize__",
    "__bool__",
    "__call__",
    "__class__",
    "__contains__",
    "__copy__",
    "__deepcopy__",
    "__delattr__",
    "__dict__",
    "__dictoffset__",
    "__dir__",
    "__doc__",
    "__eq__",
    "__flags__",
    "__format__",
    "__ge__",
    "__getattr__",
    "__getattribute__",
    "__getitem__",
    "__getstate__",
    "__gt__",
    "__hash__",
    "__init__",
    "__init_subclass__",
    "__instancecheck__",
    "__itemsize__",
    "__iter__",
    "__le__",
    "__len__",
    "__lt__",
    "__members__",
    "__module__",
    "__mro__",
    "__name__",
    "__ne__",
    "__new__",
    "__or__",
    "__prepare__",
    "__qualname__",
    "__reduce__",
    "__reduce_ex__",
    "__repr__",
    "__reversed__",
    "__ror__",
    "__setattr__",
    "__sizeof__",
    "__str__",
    "__subclasscheck__",
    "__subclasses__",
    "__subclasshook__",
    "__text_signature__",
    "__weakref__",
    "__weakrefoffset__",
    "_check_for_existing_members_",
    "_convert_",
    "_create_",
    "_find_data_repr_",
    "_find_data_type_",
    "_find_new_",
    "_generate_next_value_",
    "_get_mixins_",
    "_member_map_",
    "_member_names_",
    "_member_type_",
    "_missing_",
    "_new_member_",
    "_unhashable_values_",
    "_use_args_",
    "_value2member_map_",
    "_value_",
    "_value_repr_",
    "clear_override",
    "get_class",
    "get_path",
    "is_overridden",
    "mro",
    "name",
    "register",
    "value",
};
static_assert(std::is_sorted(std::begin(kReserved), std::end(kReserved)));

// Backends' names are in capitals, almost all of them, and come before any reserved one.
bool is_reserved(std::string_view name) noexcept {
  return !name.empty() && name.front() >= kReserved[0].front() &&
         std::binary_search(std::begin(kReserved), std::end(kReserved), name);
}

}  // namespace

Result<void> check_member_name(std::string_view name) {
  const bool reserved = is_reserved(name);
  if (is_identifier(name) && name.size() <= kMaxMemberName && !reserved) return {};
  return fail(BKR_INVALID_NAME, cat("Invalid or reserved backend name: ", name),
              reserved ? cat("'", name, "' has a meaning of its own in engines that hold the names in a Python Enum; ",
                             "choose another one.")
                       : cat("A name is [A-Za-z_][A-Za-z0-9_]*, at most ", kMaxMemberName, " bytes long; this one has ",
                             name.size(), "."));
}

}  // namespace bkr::core
