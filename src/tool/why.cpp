// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "commands.h"
#include "diagnostics.h"
#include "member_view.h"
#include "table.h"

namespace bkr::tool {

namespace {

void print_path(std::ostream &out, const MemberView &view) {
  out << "Path\n  " << (view.path.empty() ? "none" : view.path) << '\n';
  if (view.overridden()) {
    out << "  put there by " << decider_text(view) << ", in place of the default "
        << (view.default_path.is_null() ? "(none)" : or_dash(view.default_path.get<std::string>())) << '\n';
  } else {
    out << "  the default; nothing overrides it\n";
  }
}

std::string provider_text(const Document &candidate) {
  const std::string provider = text_at(candidate, "provider");
  if (provider == "in-process") return "a function inside the host";
  std::string text = path_at(candidate, "file");
  const std::string plugin = text_at(candidate, "plugin_id");
  const std::string level = text_at(candidate, "cpu_level");
  if (!plugin.empty()) text += "  (" + plugin + (level.empty() ? "" : ", for " + level) + ")";
  return text;
}

void print_candidates(std::ostream &out, const MemberView &view) {
  const Document &candidates = view.trace["candidates"];
  if (candidates.empty()) return;
  out << "\nWho provides it, in order of precedence\n";
  int number = 0;
  for (const Document &candidate : candidates) {
    out << "  " << ++number << ". " << provider_text(candidate) << '\n';
    const bool chosen = text_at(candidate, "verdict") == "chosen";
    // A named file that could not be read is `chosen` by the library, which has not looked at it yet.
    const std::string verdict = chosen && !view.usable() ? "named, but not usable" : text_at(candidate, "verdict");
    const std::string reason = text_at(candidate, "reason");
    out << indented(verdict + (reason.empty() ? "" : ": " + reason), 5);
  }
}

void print_outcome(std::ostream &out, const MemberView &view) {
  if (!view.usable()) {
    out << "\nIt leads nowhere (" << view.status() << ")\n" << indented(view.reason(), 2);
    if (!view.next().empty()) out << "\nWhat to do\n" << indented(view.next(), 2);
    return;
  }
  const Document &target = view.target();
  const std::string file = path_at(target, "file");
  out << "\nIt leads to\n";
  Table table;
  if (!file.empty()) table.add({"file", file});
  if (!file.empty()) table.add({"symbol", or_dash(text_at(target, "symbol"))});
  table.add({"backend", or_dash(text_at(target, "backend_name"))});
  table.add({"interface", or_dash(text_at(target, "interface_id"))});
  table.print(out, 2);
  out << "  None of the file's code has run: that begins with loading.\n";
}

}  // namespace

int why(const MemberName &name, bool json) {
  const bkr::registry registry = open_registry();
  const MemberView view = view_member(find(registry, name), false);
  if (json) {
    std::cout << to_text(view.trace) << '\n';
  } else {
    std::cout << name.text() << "\n\n";
    print_path(std::cout, view);
    print_candidates(std::cout, view);
    print_outcome(std::cout, view);
  }
  return view.usable() ? kDone : kFailed;
}

}  // namespace bkr::tool
