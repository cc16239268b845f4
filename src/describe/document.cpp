// SPDX-License-Identifier: Apache-2.0
#include "describe/document.h"

#include "base/text.h"

namespace bkr::core {

void write_path(JsonWriter &json, std::string_view key, std::string_view path) {
  json.key(key).string_or_null(path);
  if (!is_utf8(path)) json.key(cat(key, "_bytes")).string(hex(path));
}

void write_failure(JsonWriter &json, const Failure *failure) {
  json.key("status").string(status_name(failure ? failure->status : BKR_OK));
  json.key("reason").string_or_null(failure ? failure->reason : std::string_view());
  json.key("next").string_or_null(failure ? failure->next : std::string_view());
}

namespace {

void write_record(JsonWriter &json, const Record &record, const RecordUse &use_of) {
  json.object([&] {
    json.key("family").string(record.family);
    json.key("name").string(record.name);
    json.key("path").string(record.path);
    json.key("symbol").string(record.symbol);
    json.key("interface_id").string(record.interface_id);
    json.key("cpu_level").string(record.cpu_level);
    json.key("priority").number(int64_t{record.priority});
    if (use_of) json.key("use").string(use_of(record));
  });
}

// The file's verdict; a library without descriptor is usable, and is told what it lacks.
void write_verdict(JsonWriter &json, const PluginFile &file) {
  json.key("stage").string(stage_word(file.failure ? file.failure->stage : BKR_STAGE_NONE));
  if (file.failure || file.described()) {
    write_failure(json, file.failure ? &*file.failure : nullptr);
  } else {
    const Remark remark = no_descriptor_remark(file);
    const Failure usable{BKR_OK, BKR_STAGE_NONE, remark.reason, remark.next, 0};
    write_failure(json, &usable);
  }
}

}  // namespace

void write_file(JsonWriter &json, const PluginFile &file, const RecordUse &use_of) {
  write_path(json, "path", file.path);
  json.key("also").array([&] {
    for (const std::string &other : file.also) {
      if (is_utf8(other)) {
        json.string(other);
      } else {
        json.object([&] { write_path(json, "path", other); });
      }
    }
  });
  json.key("plugin_id").string_or_null(file.descriptor ? file.descriptor->plugin_id : std::string_view());
  json.key("version").string_or_null(file.descriptor ? file.descriptor->version : std::string_view());
  write_verdict(json, file);
  json.key("records").array([&] {
    if (!file.descriptor) return;
    for (const Record &record : file.descriptor->records) write_record(json, record, use_of);
  });
}

}  // namespace bkr::core
