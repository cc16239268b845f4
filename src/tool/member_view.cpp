// SPDX-License-Identifier: Apache-2.0
#include "member_view.h"

namespace bkr::tool {

namespace {

void set_verdict(Document &trace, const Document &status, const Document &reason, const Document &next) {
  trace["status"] = status;
  trace["reason"] = reason;
  trace["next"] = next;
}

// The record that the library will take when it loads the file: that of the symbol, or among several the member's.
Document record_behind(const MemberView &view) {
  Document first = nullptr;
  int matching = 0;
  for (const Document &record : view.file["records"]) {
    if (record["family"] != view.family || record["symbol"] != view.target()["symbol"]) continue;
    if (text_at(record, "name") == view.name) return record;
    if (++matching == 1) first = record;
  }
  return matching == 1 ? first : Document(nullptr);
}

void complete_trace(MemberView &view) {
  set_verdict(view.trace, view.file["status"], view.file["reason"], view.file["next"]);
  if (!view.usable()) return;
  const std::string symbol = text_at(view.target(), "symbol");
  if (symbol == "create_backend" && view.file["exports_create_backend"] == false) {
    set_verdict(view.trace, "BKR_SYMBOL_MISSING", "It exports no create_backend: it is a library, but no plugin.",
                "Name another file, or the symbol that creates its backend: FILE::SYMBOL.");
    return;
  }
  if (view.file["records"].empty()) return;
  const Document record = record_behind(view);
  if (record.is_null()) {
    set_verdict(view.trace, "BKR_BAD_PATH",
                "It holds no backend of family " + view.family + " behind the symbol " + symbol +
                    ", or several that are not called " + view.name + ".",
                "Look into the file with `bkr inspect`, and write FILE::SYMBOL or a dotted path.");
    return;
  }
  view.trace["target"]["backend_name"] = record["name"];
  view.trace["target"]["interface_id"] = record["interface_id"];
}

void read_file(MemberView &view) {
  const bool unknown_so_far = text_at(view.trace, "loaded") == "not looked at yet";
  try {
    view.file = Document::parse(bkr::inspect(path_at(view.target(), "file")));
    if (unknown_so_far) complete_trace(view);
  } catch (const bkr::error &error) {
    if (!unknown_so_far) return;  // it was there a moment ago; the trace stands
    const bool missing = error.status() == BKR_NOT_FOUND;
    set_verdict(view.trace, std::string(bkr::status_name(error.status())),
                missing ? "The file does not exist. Nothing else is used in its place." : error.what(),
                view.variable().empty() ? "Correct the path." : "Correct or unset " + view.variable() + ".");
  }
}

}  // namespace

MemberView view_member(bkr::member member, bool with_file) {
  MemberView view;
  view.family = member.family().name();
  view.name = member.name();
  if (const auto path = member.default_path()) view.default_path = std::string(*path);
  view.trace = Document::parse(member.explain());
  const char *path = nullptr;
  if (bkr_member_path(member.handle(), &path, nullptr) == BKR_OK) view.path = path;
  const bool has_file = view.target().is_object() && !view.target()["file"].is_null();
  if (has_file && (with_file || text_at(view.trace, "loaded") == "not looked at yet")) read_file(view);
  return view;
}

Document chosen_candidate(const MemberView &view) {
  for (const Document &candidate : view.trace["candidates"]) {
    if (text_at(candidate, "verdict") == "chosen") return candidate;
  }
  return nullptr;
}

Document describe(const MemberView &view) {
  const auto or_null = [](const std::string &text) { return text.empty() ? Document(nullptr) : Document(text); };
  const Document chosen = chosen_candidate(view);
  const Document &target = view.target();
  Document document;
  document["family"] = view.family;
  document["name"] = view.name;
  document["default_path"] = view.default_path;
  document["path"] = or_null(view.path);
  document["overridden"] = view.overridden();
  document["decided_by"] = view.decided_by();
  document["variable"] = or_null(view.variable());
  document["provider"] = or_null(text_at(chosen, "provider"));
  copy_path(target, document, "file");
  document["symbol"] = or_null(text_at(target, "symbol"));
  document["backend_name"] = or_null(text_at(target, "backend_name"));
  document["interface_id"] = or_null(text_at(target, "interface_id"));
  document["plugin_id"] = or_null(text_at(chosen, "plugin_id"));
  document["cpu_level"] = or_null(text_at(chosen, "cpu_level"));
  if (!view.file.is_null()) {
    document["plugin_id"] = view.file["plugin_id"];
    document["plugin_version"] = view.file["version"];
  }
  document["loaded"] = view.trace["loaded"];
  for (const char *key : {"status", "reason", "next"}) document[key] = view.trace[key];
  return document;
}

std::string decider_text(const MemberView &view) {
  return view.overridden() ? "environment variable " + view.variable() : "nothing";
}

}  // namespace bkr::tool
