// SPDX-License-Identifier: Apache-2.0
// The C face of selection.
#include <algorithm>

#include "api/handles.h"
#include "base/request.h"
#include "describe/describe.h"

using namespace bkr::core;

namespace {

// Of a key that comes twice the last one counts.
std::vector<Fact> copy_facts(std::span<const bkr_option> facts) {
  std::vector<Fact> copies;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const auto later = facts.subspan(i + 1);
    const auto same_key = [&](const bkr_option &fact) { return std::string_view(fact.key) == facts[i].key; };
    if (std::none_of(later.begin(), later.end(), same_key)) copies.push_back({facts[i].key, facts[i].value});
  }
  return copies;
}

Result<SelectionRequest> copy_request(const bkr_selection &selection) {
  if (Result<void> known = check_request(&selection, "bkr_selection"); !known) return fail(std::move(known.error()));
  if (selection.flags != 0) {
    return fail(BKR_INVALID_ARGUMENT, cat("bkr_selection: flags is ", selection.flags, ", and no flag is known."),
                "Set it to 0; if the bits are of a newer header, update the library.");
  }
  const auto facts = require_options("bkr_select", "facts", selection.facts, selection.fact_count);
  if (!facts) return fail(facts.error());
  if (selection.candidate_count > 0 && !selection.candidates) {
    return fail(BKR_INVALID_ARGUMENT,
                cat("bkr_select: candidates is NULL, but candidate_count is ", selection.candidate_count, "."),
                "Give the array, or the count 0.");
  }
  SelectionRequest request{copy_facts(*facts), selection.explicit_name ? selection.explicit_name : "", "", {}};
  for (uint32_t i = 0; i < selection.candidate_count; ++i) {
    if (!selection.candidates[i]) {
      return fail(BKR_INVALID_ARGUMENT, cat("bkr_select: candidates[", i, "] is NULL."),
                  "Give a member's name, or leave the entry out.");
    }
    request.candidates.emplace_back(selection.candidates[i]);
  }
  return request;
}

}  // namespace

bkr_status BKR_CALL bkr_select(bkr_family *family, const bkr_selection *selection, bkr_member **member, char *report,
                               size_t cap, size_t *need, bkr_error *error) {
  return answer(error, [&]() -> Result<void> {
    Result<void> given = require("bkr_select", {{"family", family}, {"selection", selection}, {"member", member}});
    if (given && cap > 0) given = require("bkr_select", {{"report", report}});
    if (!given) return given;
    Result<SelectionRequest> request = copy_request(*selection);
    if (!request) return fail(std::move(request.error()));
    const Family &asked = *inside(family);
    const auto selected = OpenedRegistry::of(asked).select(asked, std::move(*request));
    if (!selected) return fail(selected.error());

    const Selection &made = **selected;
    std::optional<Failure> failure = made.failure;
    Result<void> handed;
    if (cap > 0 || need) handed = hand_over("bkr_select", describe_selection(made), report, cap, need);
    // A report that does not fit takes nothing from the answer itself.
    if (failure) return fail(std::move(*failure));
    *member = handle(made.choice);
    return handed;
  });
}
