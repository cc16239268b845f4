// SPDX-License-Identifier: Apache-2.0
#include "file_text.h"

#include "table.h"

namespace bkr::tool {

namespace {

void print_record(std::ostream &out, const Document &record) {
  out << "    " << text_at(record, "family") << '.' << text_at(record, "name");
  const std::string use = text_at(record, "use");  // inspect knows of none
  if (!use.empty()) out << ": " << use;
  out << '\n';
  Table table;
  table.add({"path", text_at(record, "path")});
  table.add({"symbol", text_at(record, "symbol")});
  table.add({"interface", or_dash(text_at(record, "interface_id"))});
  table.add({"CPU level", text_at(record, "cpu_level").empty() ? "any" : text_at(record, "cpu_level")});
  if (record["priority"] != 0) table.add({"priority", record["priority"].dump()});
  table.print(out, 6);
}

std::string verdict(const Document &file) {
  const std::string stage = text_at(file, "stage");
  if (stage == "duplicate") return "counted already";
  if (stage != "ok") return "not usable: " + text_at(file, "status") + " at stage " + stage;
  return file["records"].empty() ? "without a descriptor" : "usable";
}

}  // namespace

bool is_usable(const Document &file) {
  return text_at(file, "status") == "BKR_OK" &&
         (!file["records"].empty() || file.value("exports_create_backend", false));
}

void print_file(std::ostream &out, const Document &file) {
  out << "  " << path_at(file, "path") << "\n    " << verdict(file);
  if (!text_at(file, "plugin_id").empty()) out << ", " << text_at(file, "plugin_id") << ' ' << text_at(file, "version");
  out << '\n';
  for (const Document &other : file["also"]) {
    out << "    also " << (other.is_string() ? other.get<std::string>() : path_at(other, "path")) << '\n';
  }
  if (!text_at(file, "reason").empty()) out << indented(text_at(file, "reason"), 4);
  if (!text_at(file, "next").empty()) out << indented(text_at(file, "next"), 4);
  if (text_at(file, "stage") == "duplicate") return;  // its records stand at its first name
  for (const Document &record : file["records"]) print_record(out, record);
}

}  // namespace bkr::tool
