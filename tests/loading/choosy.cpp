// SPDX-License-Identifier: Apache-2.0
#include "choosy.h"

#include <atomic>

namespace loading {

namespace {

std::atomic<Choosy *> in_charge{nullptr};

}  // namespace

Choosy::Choosy() { in_charge = this; }
Choosy::~Choosy() { in_charge = nullptr; }

void Choosy::objects(const std::string &name, std::vector<std::string> reasons) {
  does(name, "validate", [reasons = std::move(reasons)](choosy_call &call) {
    for (const std::string &reason : reasons) call.emit(call.user, reason.c_str());
    return BKR_OK;
  });
}

void Choosy::does(const std::string &name, const std::string &function, Does work) {
  const std::lock_guard lock(mutex_);
  does_[function + " " + name] = std::move(work);
}

std::vector<std::string> Choosy::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

void Choosy::forget_calls() {
  const std::lock_guard lock(mutex_);
  calls_.clear();
}

bkr_status Choosy::answer(choosy_call &call) {
  Does work;
  {
    const std::lock_guard lock(mutex_);
    const std::string what = std::string(call.function) + " " + call.name;
    if (std::string_view(call.function) != "name") calls_.push_back(what);
    if (const auto found = does_.find(what); found != does_.end()) work = found->second;
  }
  return work ? work(call) : BKR_OK;
}

PluginBytes choosy(std::string_view name, int32_t priority) {
  return built("choosy").named(name).with_priority(priority);
}

std::vector<std::string> Selected::reasons(const std::string &name) const {
  for (const Json &candidate : report["candidates"]) {
    if (candidate["name"] == name) return candidate["reasons"].get<std::vector<std::string>>();
  }
  ADD_FAILURE() << name << " is not in the report: " << report;
  return {};
}

std::string Selected::verdicts() const {
  std::string all;
  for (const Json &candidate : report["candidates"]) {
    all += (all.empty() ? "" : ", ") + candidate["name"].get<std::string>() + " " +
           candidate["verdict"].get<std::string>();
  }
  return all;
}

Selected select(const Registry &registry, const Asked &asked) {
  std::vector<bkr_option> facts;
  for (const auto &[key, value] : asked.facts) facts.push_back({key.c_str(), value.c_str()});
  std::vector<const char *> candidates;
  for (const std::string &candidate : asked.candidates) candidates.push_back(candidate.c_str());
  bkr_selection selection = {};
  selection.struct_size = sizeof selection;
  selection.explicit_name = asked.explicit_name;
  selection.facts = facts.data();
  selection.fact_count = static_cast<uint32_t>(facts.size());
  selection.candidates = candidates.data();
  selection.candidate_count = static_cast<uint32_t>(candidates.size());
  std::vector<char> report(1 << 16);
  report[0] = '\0';
  bkr_member *member = nullptr;
  Selected selected;
  selected.answer = say([&](bkr_error *error) {
    return bkr_select(registry.family(asked.family), &selection, &member, report.data(), report.size(), nullptr, error);
  });
  if (member) selected.choice = bkr_member_name(member);
  if (report[0]) selected.report = Json::parse(report.data(), nullptr, false);
  return selected;
}

}  // namespace loading

bkr_status choosy_does(choosy_call *call) {
  loading::Choosy *choosy = loading::in_charge;
  return choosy ? choosy->answer(*call) : BKR_OK;
}
