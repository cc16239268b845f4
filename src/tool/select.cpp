// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <sstream>
#include <utility>

#include "commands.h"
#include "diagnostics.h"
#include "document.h"
#include "table.h"

namespace bkr::tool {

namespace {

// The library's report, also if all were turned down.
Document report_of(bkr::family family, const bkr::selection &asked) {
  try {
    return Document::parse(family.select(asked).report);
  } catch (const bkr::selection_error &error) {
    return Document::parse(error.report());
  }
}

std::string facts_text(const Document &facts) {
  std::string text;
  for (const auto &[key, value] : facts.items()) {
    text += (text.empty() ? "" : ", ") + key + "=" + value.get<std::string>();
  }
  return text.empty() ? "nothing in particular" : text;
}

void print_candidates(std::ostream &out, const Document &candidates) {
  if (candidates.empty()) return;
  out << '\n';
  Table table;
  table.add({"CANDIDATE", "VERDICT", "REASONS"});
  for (const Document &candidate : candidates) {
    std::string name = text_at(candidate, "name");
    std::string verdict = text_at(candidate, "verdict");
    if (candidate["reasons"].empty()) table.add({name, verdict});
    for (const Document &reason : candidate["reasons"]) {
      std::istringstream lines(reason.get<std::string>());
      for (std::string line; std::getline(lines, line);) {
        table.add({std::exchange(name, ""), std::exchange(verdict, ""), line});
      }
    }
  }
  table.print(out, 2);
}

void print(std::ostream &out, const Document &report) {
  const std::string choice = text_at(report, "choice");
  const std::string named = text_at(report, "explicit");
  out << text_at(report, "family") << " with " << facts_text(report["facts"]) << '\n';
  if (!named.empty()) out << named << " was chosen beforehand, by " << text_at(report, "variable") << '\n';
  out << (choice.empty() ? "Nobody serves that (" + text_at(report, "status") + ")" : "Served by " + choice) << '\n';
  print_candidates(out, report["candidates"]);
  if (choice.empty()) out << "\nWhat to do\n" << indented(text_at(report, "next"), 2);
}

}  // namespace

int select(const std::string &family, const std::vector<std::string> &facts, const std::vector<std::string> &candidates,
           bool json) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string &fact : facts) {
    const std::size_t equals = fact.find('=');
    pairs.emplace_back(fact.substr(0, equals), fact.substr(equals + 1));
  }
  bkr::selection asked;
  for (const auto &[key, value] : pairs) asked.facts.push_back({key.c_str(), value.c_str()});
  asked.candidates = candidates;
  const bkr::registry registry = open_registry();
  const Document report = report_of(registry.find_family(family), asked);
  if (json) {
    std::cout << to_text(report) << '\n';
  } else {
    print(std::cout, report);
  }
  return report["choice"].is_null() ? kFailed : kDone;
}

}  // namespace bkr::tool
