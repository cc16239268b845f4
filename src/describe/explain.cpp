// SPDX-License-Identifier: Apache-2.0

#include "describe/describe.h"
#include "describe/document.h"
#include "registry/name_failures.h"

namespace bkr::core {

namespace {

std::string_view decider_word(PathSource source) {
  switch (source) {
    case PathSource::api:
      return "api";
    case PathSource::environment:
      return "environment";
    case PathSource::default_path:
      break;
  }
  return "default";
}

Document or_null(const std::string &text) { return text.empty() ? Document(nullptr) : Document(text); }

Document describe_candidate(const Candidate &candidate) {
  Document document;
  document["provider"] = provider_word(candidate.provider);
  if (candidate.file.empty()) {
    document["file"] = nullptr;
  } else {
    set_path(document, "file", candidate.file);
  }
  document["plugin_id"] = or_null(candidate.plugin_id);
  document["cpu_level"] = or_null(candidate.cpu_level);
  document["verdict"] = candidate.chosen ? "chosen" : "passed over";
  document["reason"] = or_null(candidate.reason);
  return document;
}

Document describe_target(const Target &target) {
  Document document;
  if (target.file.empty()) {
    document["file"] = nullptr;
  } else {
    set_path(document, "file", target.file);
  }
  document["symbol"] = or_null(target.symbol);
  document["backend_name"] = or_null(target.backend_name);
  document["interface_id"] = or_null(target.interface_id);
  return document;
}

}  // namespace

std::string describe_member(const OpenedRegistry &registry, const Member &member) {
  const TaggedPath<PathSource> effective = member.effective();
  Document document;
  document["family"] = member.family().texts().name;
  document["member"] = member.name();
  Document &path = document["path"];
  path["text"] = effective.path() ? Document(effective.path()->text()) : Document(nullptr);
  path["decided_by"] = decider_word(effective.tag());
  path["variable"] = effective.tag() == PathSource::environment
                         ? Document(override_variable(member.family().texts().name, member.name()))
                         : Document(nullptr);

  const Result<Question> question = registry.question(member);
  Resolution resolution;
  if (question) {
    resolution = registry.resolve(*question);
  } else {
    resolution.failure = question.error();
  }
  document["candidates"] = Document::array();
  for (const Candidate &candidate : resolution.candidates) {
    document["candidates"].push_back(describe_candidate(candidate));
  }
  document["target"] = resolution.target ? describe_target(*resolution.target) : Document(nullptr);
  set_failure(document, resolution.failure ? &*resolution.failure : nullptr);

  const bool not_looked_at =
      resolution.target && resolution.target->provider == ProviderKind::file && !resolution.target->facts;
  if (not_looked_at) {
    document["loaded"] = "not looked at yet";
  } else {
    document["loaded"] = resolution.target && registry.factories().is_loaded(*resolution.target);
  }
  return to_text(document);
}

}  // namespace bkr::core
