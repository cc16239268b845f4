// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <system_error>

#include "describe/describe.h"
#include "describe/document.h"

namespace bkr::core {

namespace {

Document describe_record(const Record &record) {
  return {{"family", record.family},
          {"name", record.name},
          {"path", record.path},
          {"symbol", record.symbol},
          {"interface_id", record.interface_id},
          {"cpu_level", record.cpu_level},
          {"priority", record.priority}};
}

}  // namespace

Document describe_file(const PluginFile &file) {
  Document document;
  set_path(document, "path", file.path);
  document["also"] = Document::array();
  for (const std::string &other : file.also) {
    Document name;
    set_path(name, "path", other);
    document["also"].push_back(name.size() == 1 ? name["path"] : name);
  }
  document["plugin_id"] = file.descriptor ? Document(file.descriptor->plugin_id) : Document(nullptr);
  document["version"] = file.descriptor ? Document(file.descriptor->version) : Document(nullptr);
  document["stage"] = stage_word(file.failure ? file.failure->stage : BKR_STAGE_NONE);
  set_failure(document, file.failure ? &*file.failure : nullptr);
  if (file.usable() && !file.described()) {
    const Remark remark = no_descriptor_remark(file);
    document["reason"] = remark.reason;
    document["next"] = remark.next;
  }
  document["records"] = Document::array();
  if (file.descriptor) {
    for (const Record &record : file.descriptor->records) document["records"].push_back(describe_record(record));
  }
  return document;
}

Result<std::string> describe_inspection(const std::string &file) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(file, error);
  const PluginFile inspected = inspect_file(error ? file : absolute.string(), InspectRules{});
  if (inspected.failure && inspected.failure->status == BKR_NOT_FOUND) return fail(*inspected.failure);
  Document document = describe_file(inspected);
  document["format"] = inspected.image.format;
  document["machine"] = inspected.image.machine;
  document["needed"] = inspected.image.needed;
  document["exports_create_backend"] = inspected.image.exports_create_backend;
  return to_text(document);
}

}  // namespace bkr::core
