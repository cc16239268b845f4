// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "commands.h"
#include "diagnostics.h"
#include "member_view.h"
#include "table.h"

namespace bkr::tool {

namespace {

std::string loaded_text(const MemberView &view) {
  const Document &loaded = view.trace["loaded"];
  return loaded.is_boolean() ? (loaded.get<bool>() ? "yes" : "no") : "no";
}

std::string plugin_text(const Document &facts) {
  const std::string version = text_at(facts, "plugin_version");
  return text_at(facts, "plugin_id") + (version.empty() ? "" : " " + version);
}

}  // namespace

int show(const MemberName &name, bool json) {
  const bkr::registry registry = open_registry();
  const MemberView view = view_member(find(registry, name), true);
  const Document facts = describe(view);
  const int result = view.usable() ? kDone : kFailed;
  if (json) {
    std::cout << to_text(facts) << '\n';
    return result;
  }
  Table table;
  table.add({"default path", or_dash(text_at(facts, "default_path"))});
  table.add({"path in force", or_dash(view.path)});
  table.add({"overridden by", decider_text(view)});
  if (view.usable()) {
    table.add({"provided by", text_at(facts, "provider")});
    table.add({"file", or_dash(path_at(facts, "file"))});
    table.add({"symbol", or_dash(text_at(facts, "symbol"))});
    table.add({"plugin", or_dash(plugin_text(facts))});
    table.add({"backend name", or_dash(text_at(facts, "backend_name"))});
    table.add({"interface", or_dash(text_at(facts, "interface_id"))});
    table.add({"CPU level", text_at(facts, "cpu_level").empty() ? "any" : text_at(facts, "cpu_level")});
    table.add({"loaded", loaded_text(view)});
  } else {
    table.add({"provided by", "nothing: " + view.status()});
    table.add({"", view.reason().substr(0, view.reason().find('\n'))});
    table.add({"", "`bkr why " + name.text() + "` tells more"});
  }
  std::cout << name.text() << '\n';
  table.print(std::cout, 2);
  return result;
}

}  // namespace bkr::tool
