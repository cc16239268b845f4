// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_DESCRIBE_DOCUMENT_H
#define BKR_DESCRIBE_DOCUMENT_H

#include <functional>
#include <string>
#include <string_view>

#include "base/failure.h"
#include "describe/json_writer.h"
#include "discover/plugin_file.h"

namespace bkr::core {

// Parts that several documents have in common. Each writes keys into the object that is open.

// A path under `key`, null if there is none. Names of files are bytes: where they are not UTF-8 the text has U+FFFD,
// and `<key>_bytes` has all of them in hex.
void write_path(JsonWriter &json, std::string_view key, std::string_view path);

// A status by its name, and a reason and an advice by their texts; null where there is no failure.
void write_failure(JsonWriter &json, const Failure *failure);

// What report and inspect say of a file alike. `use_of` tells what a record is good for, where that is known.
using RecordUse = std::function<std::string(const Record &)>;
void write_file(JsonWriter &json, const PluginFile &file, const RecordUse &use_of = {});

}  // namespace bkr::core

#endif  // BKR_DESCRIBE_DOCUMENT_H
