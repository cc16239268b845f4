// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TOOL_CASE_PARAMS_H
#define BKR_TOOL_CASE_PARAMS_H

#include <backend_registry/types.h>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "case.h"

namespace bkr::tool {

// The names that the cases of an interface may use; others are misspelt, and would silently do nothing.
struct CaseNames {
  const char *interface_id;
  std::span<const std::string_view> params;
  std::span<const std::string_view> tensors;
};
// CaseError with the name and all known ones, if the case has one that is not known.
void expect_known(const Case &recorded, const CaseNames &names);

// The params of a case. What is there and has another type than asked for is a CaseError that names it.
class CaseParams {
 public:
  // Borrows `params`, an object.
  explicit CaseParams(const nlohmann::json &params) : params_(params) {}

  bool has(const char *name) const { return params_.contains(name); }
  double number(const char *name, double otherwise) const;
  int32_t whole(const char *name, int32_t otherwise) const;
  bool yes(const char *name, bool otherwise) const;
  // The place of the param's value among `words`; 0 if it is not there.
  int32_t word(const char *name, std::initializer_list<std::string_view> words) const;

 private:
  const nlohmann::json &params_;
};

// CaseError with the call, the status and the backend's text, unless the status is BKR_OK.
void expect_ok(const char *call, bkr_status status, const char *text);

}  // namespace bkr::tool

#endif  // BKR_TOOL_CASE_PARAMS_H
