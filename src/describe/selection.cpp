// SPDX-License-Identifier: Apache-2.0
#include "describe/describe.h"
#include "describe/document.h"

namespace bkr::core {

namespace {

std::string_view verdict_word(Judged::Verdict verdict) {
  switch (verdict) {
    case Judged::Verdict::chosen:
      return "chosen";
    case Judged::Verdict::turned_down:
      return "turned down";
    case Judged::Verdict::not_tried:
      break;
  }
  return "not tried";
}

}  // namespace

std::string describe_selection(const Selection &selection) {
  const SelectionRequest &request = selection.request;
  JsonWriter json;
  json.object([&] {
    json.key("family").string(selection.family->texts().name);
    json.key("facts").object([&] {
      for (const Fact &fact : request.facts) json.key(fact.key).string(fact.value);
    });
    json.key("explicit").string_or_null(request.explicit_name);
    json.key("variable").string_or_null(request.variable);
    json.key("choice").string_or_null(selection.choice ? selection.choice->name() : std::string_view());
    json.key("candidates").array([&] {
      for (const Judged &judged : selection.candidates) {
        json.object([&] {
          json.key("name").string(judged.member->name());
          json.key("verdict").string(verdict_word(judged.verdict));
          json.key("reasons").array([&] {
            for (const std::string &reason : judged.reasons(true)) json.string(reason);
          });
        });
      }
    });
    write_failure(json, selection.failure ? &*selection.failure : nullptr);
  });
  return json.take();
}

}  // namespace bkr::core
