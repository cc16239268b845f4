// SPDX-License-Identifier: Apache-2.0
#include "select/selection.h"

#include <algorithm>

#include "base/text.h"

namespace bkr::core {

namespace {

// A text that says where it ends.
void put(std::string &key, std::string_view text) { key += cat(text.size(), ":", text); }

}  // namespace

std::string SelectionRequest::key(std::string_view family) const {
  std::string key;
  put(key, family);
  put(key, explicit_name);
  put(key, variable);
  key += cat(facts.size(), ";");
  for (const Fact &fact : facts) {
    put(key, fact.key);
    put(key, fact.value);
  }
  for (const std::string &candidate : candidates) put(key, candidate);
  return key;
}

bool is_no_choice(std::string_view name) noexcept {
  constexpr std::string_view kAuto = "auto";
  const auto same = [](char letter, char lower) { return letter == lower || letter == lower - 'a' + 'A'; };
  return name.empty() || std::equal(name.begin(), name.end(), kAuto.begin(), kAuto.end(), same);
}

std::string words_of(const std::vector<Fact> &facts) {
  std::string words;
  for (const Fact &fact : facts) words += cat(words.empty() ? "" : ", ", fact.key, "=", fact.value);
  return cat("{", words, "}");
}

std::vector<std::string> Judged::reasons(bool whole) const {
  if (!unavailable) return objections;
  const std::string text = whole ? unavailable->text() : unavailable->reason.substr(0, unavailable->reason.find('\n'));
  return {cat(status_name(unavailable->status), ": ", text)};
}

bool Selection::holds() const noexcept {
  return std::none_of(candidates.begin(), candidates.end(), [this](const Judged &judged) {
    if (!judged.unavailable) return false;
    const bkr_status status = judged.unavailable->status;
    return !choice || status == BKR_IO_ERROR || status == BKR_STALE || status == BKR_BUSY;
  });
}

}  // namespace bkr::core
