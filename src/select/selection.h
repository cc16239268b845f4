// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_SELECT_SELECTION_H
#define BKR_SELECT_SELECTION_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.h"
#include "registry/family.h"

namespace bkr::core {

struct Fact {
  std::string key;
  std::string value;
};

// What an engine asks for: a copy of bkr_selection.
struct SelectionRequest {
  std::vector<Fact> facts;              // each key once
  std::string explicit_name;            // empty: nobody made a choice
  std::string variable;                 // the environment variable that made it; empty if the host did
  std::vector<std::string> candidates;  // empty: whoever is there

  // Equal for two requests if and only if they ask the same of the same family.
  std::string key(std::string_view family) const;
};

// Whether a choice is none: not given, or `auto` in any case.
bool is_no_choice(std::string_view name) noexcept;

// "{head_size=128, dtype=bfloat16}".
std::string words_of(const std::vector<Fact> &facts);

// One candidate, and what stands against it.
struct Judged {
  enum class Verdict { chosen, turned_down, not_tried };

  Member *member;
  Verdict verdict = Verdict::not_tried;
  std::vector<std::string> objections = {};  // the backend's own, in its order
  std::optional<Failure> unavailable = {};   // why there is no backend to ask

  // Each as a text; what is unavailable as `STATUS: text`, whole or its first line.
  std::vector<std::string> reasons(bool whole) const;
};

// A choice with all that led to it. Immutable once it is made.
struct Selection {
  const Family *family;
  SelectionRequest request;
  std::vector<Judged> candidates;       // in the order in which they are tried
  Member *choice = nullptr;             // null if and only if failure is there
  std::optional<Failure> failure = {};  // BKR_NO_VALID_BACKEND, BKR_CHOICE_REFUSED

  // Whether the same question would be answered like this until the registry changes. Not so if a candidate was
  // unavailable for what may pass by itself; nor if none was found and a file may yet be put where it was missed.
  bool holds() const noexcept;
};

}  // namespace bkr::core

#endif  // BKR_SELECT_SELECTION_H
