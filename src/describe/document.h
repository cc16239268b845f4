// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_DESCRIBE_DOCUMENT_H
#define BKR_DESCRIBE_DOCUMENT_H

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/failure.h"
#include "discover/plugin_file.h"

namespace bkr::core {

// Keys stand in the order in which they are written here.
using Document = nlohmann::ordered_json;

// Sets document[key] to a path. Names of files are bytes: where they are not UTF-8 the text has U+FFFD, and
// `<key>_bytes` has all of them in hex.
void set_path(Document &document, const char *key, std::string_view path);

// A status by its name, and a reason and an advice by their texts; null where there is no failure.
void set_failure(Document &document, const Failure *failure);

// What report and inspect say of a file alike.
Document describe_file(const PluginFile &file);

// The document as text. Bytes that are not UTF-8 become U+FFFD.
std::string to_text(const Document &document);

}  // namespace bkr::core

#endif  // BKR_DESCRIBE_DOCUMENT_H
