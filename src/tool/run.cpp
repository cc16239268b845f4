// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>
#include <iostream>

#include "case_run.h"
#include "commands.h"
#include "diagnostics.h"
#include "document.h"
#include "table.h"

namespace bkr::tool {

namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", value);
  return text;
}

std::string place(const std::vector<int64_t> &index) {
  std::string text;
  for (const int64_t i : index) text += (text.empty() ? "" : ",") + std::to_string(i);
  return index.empty() ? "" : " at [" + text + "]";
}

// JSON has no infinity; it is written as recorded cases write it.
Document number_or_word(double value) { return std::isfinite(value) ? Document(value) : Document(number(value)); }

Document describe_difference(const Difference &difference) {
  Document document;
  document["tensor"] = difference.tensor;
  document["largest_absolute"] = number_or_word(difference.largest_absolute);
  document["place_absolute"] = difference.place_absolute;
  document["largest_relative"] = number_or_word(difference.largest_relative);
  document["place_relative"] = difference.place_relative;
  document["elements"] = difference.elements;
  document["beyond"] = difference.beyond;
  return document;
}

Document describe_run(const MemberName &name, const std::string &backend, const bkr_target &target,
                      const std::string &case_file, const Case &recorded, const CaseResult &result) {
  const auto or_null = [](const char *text) { return text ? Document(text) : Document(nullptr); };
  Document document;
  document["family"] = name.family;
  document["name"] = name.name;
  document["backend"] = backend;
  document["file"] = or_null(target.file);
  document["plugin_id"] = or_null(target.plugin_id);
  document["case"] = case_file;
  document["interface"] = recorded.interface_id;
  document["tolerance"] = {{"absolute", recorded.tolerance.absolute}, {"relative", recorded.tolerance.relative}};
  document["tensors"] = Document::array();
  for (const Difference &difference : result.differences) {
    document["tensors"].push_back(describe_difference(difference));
  }
  document["passed"] = result.passed();
  return document;
}

void print_result(std::ostream &out, const Case &recorded, const CaseResult &result) {
  Table table;
  table.add({"TENSOR", "ELEMENTS", "LARGEST DIFFERENCE", "RELATIVE TO THE RECORDED VALUE", "BEYOND TOLERANCE"});
  for (const Difference &difference : result.differences) {
    table.add({difference.tensor, std::to_string(difference.elements),
               number(difference.largest_absolute) + place(difference.place_absolute),
               number(difference.largest_relative) + place(difference.place_relative),
               difference.beyond == 0 ? "none" : std::to_string(difference.beyond)});
  }
  table.print(out, 2);
  out << "\n  tolerance: " << number(recorded.tolerance.absolute) << " + " << number(recorded.tolerance.relative)
      << " * |recorded value| for each element\n"
      << (result.passed() ? "OK" : "FAILED") << '\n';
}

}  // namespace

int run(const MemberName &name, const std::string &case_file, bool json) {
  const Case recorded = read_case_file(case_file);
  const bkr::registry registry = open_registry();
  const bkr::member member = find(registry, name);
  bkr::backend backend = member.load().create();
  backend.init();
  const bkr_target target = member.resolve();
  const CaseResult result = run_case(backend.handle(), recorded);
  const std::string own_name(backend.name());
  if (json) {
    std::cout << to_text(describe_run(name, own_name, target, case_file, recorded, result)) << '\n';
  } else {
    std::cout << name.text() << '\n';
    Table table;
    table.add({"backend", own_name});
    if (target.file) table.add({"file", target.file});
    if (target.plugin_id) table.add({"plugin", target.plugin_id});
    table.add({"case", case_file + " (" + recorded.interface_id + ")"});
    table.print(std::cout, 2);
    std::cout << '\n';
    print_result(std::cout, recorded, result);
  }
  return result.passed() ? kDone : kFailed;
}

}  // namespace bkr::tool
