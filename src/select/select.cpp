// SPDX-License-Identifier: Apache-2.0
#include "select/select.h"

#include <string>

#include "base/text.h"

namespace bkr::core {

namespace {

std::string list_of(const std::vector<std::string> &reasons) { return cat("[", join(reasons), "]"); }

// The first line is what engines know from their own selectors, to the word.
Failure refused(const Selection &selection) {
  const Judged &judged = selection.candidates.front();
  const std::string &variable = selection.request.variable;
  Failure failure{BKR_CHOICE_REFUSED, BKR_STAGE_NONE,
                  cat("Selected backend ", judged.member->name(),
                      " is not valid for this configuration. Reason: ", list_of(judged.reasons(false))),
                  cat("It was chosen by ", variable.empty() ? "the host (explicit_name)" : variable,
                      ", and no other is used in its place. Ask for what it can serve, choose another, or leave the "
                      "choice open with `auto`."),
                  0};
  if (const std::optional<Failure> &why = judged.unavailable) {
    failure.stage = why->stage;
    failure.native_code = why->native_code;
    const std::string whole = why->text();
    if (const std::size_t line = whole.find('\n'); line != std::string::npos) {
      failure.next = cat(whole.substr(line + 1), "\n", failure.next);
    }
  }
  return failure;
}

Failure none_valid(const Selection &selection) {
  const FamilyTexts &texts = selection.family->texts();
  std::string reasons;
  for (const Judged &judged : selection.candidates) {
    reasons += cat(reasons.empty() ? "" : ", ", judged.member->name(), ": ", list_of(judged.reasons(false)));
  }
  return {
      BKR_NO_VALID_BACKEND, BKR_STAGE_NONE,
      cat("No valid ", texts.title, " found with ", words_of(selection.request.facts), ". Reasons: {", reasons, "}."),
      selection.candidates.empty()
          ? cat("No member of family ", texts.name,
                " has a provider on this machine. Drop a plugin into a "
                "directory that is searched (`bkr scan` lists them), or name candidates to see what each lacks.")
          : cat("Ask for less, or install a plugin that serves this; the report and `bkr select ", texts.name,
                "` have each reason in full."),
      0};
}

Failure stopped_at(const Judged &judged, Failure failure) {
  if (failure.status == BKR_OUT_OF_MEMORY || failure.status == BKR_REENTRANT) return failure;
  failure.next +=
      cat(failure.next.empty() ? "" : "\n", "The selection ends here, as no broken plugin is passed over: ",
          "mend or remove it, turn it off in BKR_DISABLE, or leave ", judged.member->name(), " out of the candidates.");
  return failure;
}

void warn_of_block_size(const Selection &selection, Log &log) {
  std::vector<std::string> precluded;
  for (const Judged &judged : selection.candidates) {
    if (judged.objections.size() == 1 && judged.objections.front() == "block_size not supported") {
      precluded.emplace_back(judged.member->name());
    }
  }
  if (precluded.empty()) return;
  for (const Fact &fact : selection.request.facts) {
    if (fact.key != "block_size") continue;
    log.tell_once(BKR_LOG_WARN, [&] {
      return cat("block_size ", fact.value, " precluded higher-priority backend(s) ", join(precluded), ". Using ",
                 selection.choice->name(), " instead.");
    });
  }
}

// Engines look an attention backend up again by the name that it gives itself.
void warn_of_own_name(const Selection &selection, const std::string &own_name, Log &log) {
  const Family &family = *selection.family;
  if (family.texts().name != "attention" || own_name.empty() || family.find(own_name.c_str())) return;
  log.tell_once(BKR_LOG_WARN, [&] {
    return cat("attention.", selection.choice->name(), " calls itself '", own_name,
               "', which is no member of the family: an engine that looks it up by that name will not find it. "
               "Register that name for the same path, or have the backend give a member's name.");
  });
}

// A plugin that is there, but cannot be used, is a better backend that its operator waits for in vain. (Who names
// candidates that nobody has installed, or plugins for another machine, knows what he does.)
void warn_of_unavailable(const Selection &selection, Log &log) {
  for (const Judged &judged : selection.candidates) {
    if (!judged.unavailable) continue;
    const bkr_status status = judged.unavailable->status;
    if (status == BKR_NOT_FOUND || status == BKR_NOT_REGISTERED || status == BKR_WRONG_PLATFORM ||
        status == BKR_DENIED) {
      continue;
    }
    log.tell_once(BKR_LOG_WARN, [&] {
      return cat(selection.family->texts().name, ".", judged.member->name(), " was turned down, and ",
                 selection.choice->name(), " is used instead: ", join(judged.reasons(true)));
    });
  }
}

void tell(const Selection &selection, Log &log) {
  log.tell(BKR_LOG_INFO, [&] {
    std::string line = cat("Selected ", selection.family->texts().name, ".", selection.choice->name(), " with ",
                           words_of(selection.request.facts));
    for (const Judged &judged : selection.candidates) {
      if (judged.verdict != Judged::Verdict::turned_down) continue;
      line += cat("; ", judged.member->name(), " turned down: ", list_of(judged.reasons(false)));
    }
    return line;
  });
}

}  // namespace

Result<Selection> select(const Family &family, SelectionRequest request, const std::vector<Member *> &candidates,
                         const LoadMember &load, Log &log) {
  Selection selection{&family, std::move(request), {}};
  std::vector<bkr_option> facts;
  for (const Fact &fact : selection.request.facts) facts.push_back({fact.key.c_str(), fact.value.c_str()});
  for (Member *candidate : candidates) selection.candidates.push_back({candidate});

  std::string own_name;
  for (Judged &judged : selection.candidates) {
    Result<Probed> probed = probe(*judged.member, facts, load);
    if (!probed && !is_mismatch(probed.error())) return fail(stopped_at(judged, std::move(probed.error())));
    if (probed && probed->objections.empty()) {
      judged.verdict = Judged::Verdict::chosen;
      selection.choice = judged.member;
      own_name = std::move(probed->own_name);
      break;
    }
    judged.verdict = Judged::Verdict::turned_down;
    if (probed) {
      judged.objections = std::move(probed->objections);
    } else {
      judged.unavailable = std::move(probed.error());
    }
  }
  if (!selection.choice) {
    selection.failure = selection.request.explicit_name.empty() ? none_valid(selection) : refused(selection);
    return selection;
  }
  tell(selection, log);
  warn_of_unavailable(selection, log);
  warn_of_block_size(selection, log);
  warn_of_own_name(selection, own_name, log);
  return selection;
}

}  // namespace bkr::core
