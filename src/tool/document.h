// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TOOL_DOCUMENT_H
#define BKR_TOOL_DOCUMENT_H

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace bkr::tool {

// The library's documents, and those that this tool writes. Keys keep their order.
using Document = nlohmann::ordered_json;

// A text of a document; empty where it is null or not there.
std::string text_at(const Document &document, const char *key);

// The path at `key`, byte for byte: from `<key>_bytes` where the name is not UTF-8.
std::string path_at(const Document &document, const char *key);

// Copies the path at `key` with its bytes, under the same names; null where there is none.
void copy_path(const Document &from, Document &to, const char *key);

// The document as text. Bytes that are not UTF-8 become U+FFFD.
std::string to_text(const Document &document);

// "—" for nothing.
std::string or_dash(const std::string &text);

// Every line of the text behind `indent` blanks; ends with a newline.
std::string indented(std::string_view text, std::size_t indent);

}  // namespace bkr::tool

#endif  // BKR_TOOL_DOCUMENT_H
