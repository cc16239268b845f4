// SPDX-License-Identifier: Apache-2.0
#include <optional>

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

void write_candidate(JsonWriter &json, const Candidate &candidate) {
  json.object([&] {
    json.key("provider").string(provider_word(candidate.provider));
    write_path(json, "file", candidate.file);
    json.key("plugin_id").string_or_null(candidate.plugin_id);
    json.key("cpu_level").string_or_null(candidate.cpu_level);
    json.key("verdict").string(candidate.chosen ? "chosen" : "passed over");
    json.key("reason").string_or_null(candidate.reason);
  });
}

void write_target(JsonWriter &json, const Target &target) {
  json.object([&] {
    write_path(json, "file", target.file);
    json.key("symbol").string_or_null(target.symbol);
    json.key("backend_name").string_or_null(target.backend_name);
    json.key("interface_id").string_or_null(target.interface_id);
  });
}

void write_member_path(JsonWriter &json, const Member &member, const TaggedPath<PathSource> &effective) {
  json.key("path").object([&] {
    json.key("text");
    effective.path() ? json.string(effective.path()->text()) : json.null();
    json.key("decided_by").string(decider_word(effective.tag()));
    json.key("variable")
        .string_or_null(effective.tag() == PathSource::environment
                            ? override_variable(member.family().texts().name, member.name())
                            : std::string());
  });
}

void write_loaded(JsonWriter &json, const OpenedRegistry &registry, const std::optional<Target> &target) {
  json.key("loaded");
  if (target && target->provider == ProviderKind::file && !target->facts) {
    json.string("not looked at yet");
  } else {
    json.boolean(target && registry.factories().is_loaded(*target));
  }
}

}  // namespace

std::string describe_member(const OpenedRegistry &registry, const Member &member) {
  const TaggedPath<PathSource> effective = member.effective();
  const Result<Question> question = registry.question(member);
  Resolution resolution;
  if (question) {
    resolution = registry.resolve(*question);
  } else {
    resolution.failure = question.error();
  }
  JsonWriter json;
  json.object([&] {
    json.key("family").string(member.family().texts().name);
    json.key("member").string(member.name());
    write_member_path(json, member, effective);
    json.key("candidates").array([&] {
      for (const Candidate &candidate : resolution.candidates) write_candidate(json, candidate);
    });
    json.key("target");
    resolution.target ? write_target(json, *resolution.target) : json.null();
    write_failure(json, resolution.failure ? &*resolution.failure : nullptr);
    write_loaded(json, registry, resolution.target);
  });
  return json.take();
}

}  // namespace bkr::core
