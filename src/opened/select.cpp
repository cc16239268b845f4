// SPDX-License-Identifier: Apache-2.0
// Who is asked in a selection, and which choice was made beforehand.
#include "select/select.h"

#include <algorithm>

#include "base/text.h"
#include "load/load.h"
#include "opened/opened_registry.h"
#include "registry/name_failures.h"

namespace bkr::core {

namespace {

// The environment's choice, if the host made none.
void take_choice_of(const Environment &environment, const Family &family, SelectionRequest &request) {
  if (!is_no_choice(request.explicit_name)) return;
  const std::string variable = select_variable(family.texts().name);
  request.explicit_name = environment.get(variable);
  if (is_no_choice(request.explicit_name)) {
    request.explicit_name.clear();
  } else {
    request.variable = variable;
  }
}

// A name that cannot be used, told of whoever gave it.
Failure of_the_choice(Failure failure, const SelectionRequest &request) {
  if (!request.variable.empty()) failure.next += cat("\nThe name was chosen by ", request.variable, ".");
  return failure;
}

}  // namespace

Result<std::vector<Member *>> OpenedRegistry::named_candidates(const Family &family,
                                                               const SelectionRequest &request) const {
  const bool is_explicit = !request.explicit_name.empty();
  const std::vector<std::string> names = is_explicit ? std::vector{request.explicit_name} : request.candidates;
  std::vector<Member *> candidates;
  for (const std::string &name : names) {
    Member *member = family.find(name.c_str());
    if (!member) return fail(of_the_choice(unknown_name(family, name), request));
    if (!member->effective().path()) return fail(of_the_choice(not_registered(*member), request));
    if (std::find(candidates.begin(), candidates.end(), member) == candidates.end()) candidates.push_back(member);
  }
  return candidates;
}

std::vector<Member *> OpenedRegistry::provided_members(const Family &family) {
  struct Ranked {
    Member *member;
    int32_t priority;
  };
  std::vector<Ranked> ranked;
  for (uint32_t number = 0; number < family.size(); ++number) {
    Member *member = family.at(number);
    const Result<Question> asked = question(*member);
    if (!asked) continue;
    const Resolution resolution = look(*asked, provisions_, rules());
    // A path that somebody put there shall not be passed over in silence because it leads nowhere.
    if (resolution.candidates.empty() && member->effective().tag() == PathSource::default_path) continue;
    ranked.push_back({member, resolution.target ? resolution.target->priority : 0});
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Ranked &a, const Ranked &b) { return a.priority > b.priority; });
  std::vector<Member *> members;
  members.reserve(ranked.size());
  for (const Ranked &one : ranked) members.push_back(one.member);
  return members;
}

Result<std::shared_ptr<const Selection>> OpenedRegistry::select(const Family &family, SelectionRequest request) {
  const uint64_t epoch = families_.epoch();
  take_choice_of(*environment(), family, request);
  std::string key = request.key(family.texts().name);
  if (std::shared_ptr<const Selection> known = selections_.find(key, epoch)) return known;

  std::vector<Member *> candidates;
  if (request.explicit_name.empty() && request.candidates.empty()) {
    candidates = provided_members(family);
  } else {
    Result<std::vector<Member *>> named = named_candidates(family, request);
    if (!named) return fail(std::move(named.error()));
    candidates = std::move(*named);
  }
  Result<Selection> made = core::select(
      family, std::move(request), candidates, [this](const Member &member) { return try_load(member); }, *log_);
  if (!made) {
    if (made.error().status != BKR_REENTRANT) tell_once(*host_, made.error());
    return fail(std::move(made.error()));
  }
  auto selection = std::make_shared<const Selection>(std::move(*made));
  if (selection->holds()) selections_.keep(std::move(key), epoch, selection);
  return selection;
}

}  // namespace bkr::core
