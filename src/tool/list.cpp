// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <map>

#include "commands.h"
#include "diagnostics.h"
#include "member_view.h"
#include "table.h"

namespace bkr::tool {

namespace {

std::string target_file(const MemberView &view) { return path_at(view.target(), "file"); }

std::string last_component(const std::string &path) { return path.substr(path.find_last_of("/\\") + 1); }

// What is missing, in few words; `bkr why` has all of them.
std::string missing_text(const MemberView &view) {
  std::string words = view.status();
  if (words == "BKR_NOT_REGISTERED") return "— no path yet";
  if (words == "BKR_NOT_FOUND") return target_file(view).empty() ? "— no plugin" : "— no such file";
  words.erase(0, words.find('_') + 1);
  for (char &c : words) c = c == '_' ? ' ' : static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return "— " + words;
}

// Files by the name under which the table shows them: short, unless two files would look alike.
class FileLabels {
 public:
  explicit FileLabels(const std::vector<MemberView> &views) {
    for (const MemberView &view : views) {
      const std::string file = target_file(view);
      if (!file.empty() && view.usable()) labels_[file] = last_component(file);
    }
    for (auto &[file, label] : labels_) {
      const auto alike = std::count_if(labels_.begin(), labels_.end(), [&](const auto &other) {
        return last_component(other.first) == last_component(file);
      });
      if (alike > 1) label = file;
    }
  }

  std::string of(const MemberView &view) const {
    const auto found = labels_.find(target_file(view));
    return found != labels_.end() ? found->second : "inside the host";
  }

  void print(std::ostream &out) const {
    if (labels_.empty()) return;
    out << "\n  Files\n";
    Table table;
    for (const auto &[file, label] : labels_) table.add({label, label == file ? "" : file});
    table.print(out, 4);
  }

 private:
  std::map<std::string, std::string> labels_;
};

void print_family(std::ostream &out, bkr::family family, const std::vector<MemberView> &views) {
  const auto usable = std::count_if(views.begin(), views.end(), [](const MemberView &view) { return view.usable(); });
  out << family.name() << ": " << views.size() << (views.size() == 1 ? " name, " : " names, ") << usable
      << " with a provider\n\n";
  const FileLabels files(views);
  Table table;
  table.add({"NAME", "PROVIDER", "OVERRIDDEN BY", "PATH"});
  for (const MemberView &view : views) {
    table.add({view.name, view.usable() ? files.of(view) : missing_text(view),
               view.overridden() ? view.decided_by() : "—", or_dash(view.path)});
  }
  table.print(out, 2);
  files.print(out);
}

}  // namespace

int list(const std::string &family_name, bool json) {
  const bkr::registry registry = open_registry();
  std::vector<bkr::family> families = registry.families();
  if (!family_name.empty()) families = {registry.find_family(family_name)};

  Document document;
  document["families"] = Document::array();
  bool first = true;
  for (const bkr::family family : families) {
    std::vector<MemberView> views;
    for (const bkr::member member : family.members()) views.push_back(view_member(member, false));
    if (json) {
      Document &entry = document["families"].emplace_back();
      entry["name"] = std::string(family.name());
      entry["members"] = Document::array();
      for (const MemberView &view : views) entry["members"].push_back(describe(view));
    } else {
      if (!first) std::cout << '\n';
      print_family(std::cout, family, views);
    }
    first = false;
  }
  if (json) std::cout << to_text(document) << '\n';
  return kDone;
}

}  // namespace bkr::tool
