// SPDX-License-Identifier: Apache-2.0
#include "case_params.h"

#include <backend_registry/registry.h>

#include <algorithm>
#include <limits>
#include <string>

namespace bkr::tool {
namespace {

using nlohmann::json;

std::string listed(std::span<const std::string_view> words) {
  std::string list;
  for (const std::string_view word : words) list += (list.empty() ? "" : ", ") + std::string(word);
  return list;
}

void expect_one_of(std::span<const std::string_view> known, const std::string &name, const char *kind,
                   const char *interface_id) {
  if (std::ranges::find(known, name) != known.end()) return;
  throw CaseError(std::string(kind) + "." + name + " is not known in " + interface_id + "; known: " + listed(known));
}

[[noreturn]] void refuse(const char *name, const json &value, const std::string &why) {
  throw CaseError("params." + std::string(name) + " is " + value.dump() + why);
}

}  // namespace

void expect_known(const Case &recorded, const CaseNames &names) {
  for (const auto &[name, value] : recorded.params.items()) {
    expect_one_of(names.params, name, "params", names.interface_id);
  }
  for (const auto &[name, value] : recorded.tensors) {
    expect_one_of(names.tensors, name, "tensors", names.interface_id);
  }
}

double CaseParams::number(const char *name, double otherwise) const {
  const auto found = params_.find(name);
  if (found == params_.end()) return otherwise;
  if (!found->is_number()) refuse(name, *found, ", no number");
  return found->get<double>();
}

int32_t CaseParams::whole(const char *name, int32_t otherwise) const {
  const auto found = params_.find(name);
  if (found == params_.end()) return otherwise;
  const bool fits = found->is_number_integer() && found->get<int64_t>() >= std::numeric_limits<int32_t>::min() &&
                    found->get<int64_t>() <= std::numeric_limits<int32_t>::max();
  if (!fits) refuse(name, *found, ", no whole number of 32 bits");
  return found->get<int32_t>();
}

bool CaseParams::yes(const char *name, bool otherwise) const {
  const auto found = params_.find(name);
  if (found == params_.end()) return otherwise;
  if (!found->is_boolean()) refuse(name, *found, "; it must be true or false");
  return found->get<bool>();
}

int32_t CaseParams::word(const char *name, std::initializer_list<std::string_view> words) const {
  const auto found = params_.find(name);
  if (found == params_.end()) return 0;
  const auto *const place =
      std::find_if(words.begin(), words.end(), [&](std::string_view word) { return *found == word; });
  if (place == words.end()) refuse(name, *found, "; it must be one of " + listed({words.begin(), words.end()}));
  return static_cast<int32_t>(place - words.begin());
}

void expect_ok(const char *call, bkr_status status, const char *text) {
  if (status != BKR_OK) throw CaseError(std::string(call) + ": " + bkr_status_name(status) + ": " + text);
}

}  // namespace bkr::tool
