// SPDX-License-Identifier: Apache-2.0
#include "document.h"

namespace bkr::tool {

namespace {

std::string bytes_key(const char *key) { return std::string(key) + "_bytes"; }

}  // namespace

std::string text_at(const Document &document, const char *key) {
  const auto found = document.find(key);
  return found != document.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string path_at(const Document &document, const char *key) {
  const std::string hex = text_at(document, bytes_key(key).c_str());
  if (hex.empty()) return text_at(document, key);
  std::string path;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    path += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return path;
}

void copy_path(const Document &from, Document &to, const char *key) {
  const std::string bytes = bytes_key(key);
  to[key] = from.contains(key) ? from[key] : Document(nullptr);
  if (from.contains(bytes)) to[bytes] = from[bytes];
}

std::string to_text(const Document &document) {
  return document.dump(2, ' ', false, Document::error_handler_t::replace);
}

std::string or_dash(const std::string &text) { return text.empty() ? "—" : text; }

std::string indented(std::string_view text, std::size_t indent) {
  std::string result;
  while (true) {
    const std::size_t end = text.find('\n');
    result.append(indent, ' ').append(text.substr(0, end)).append("\n");
    if (end == std::string_view::npos) return result;
    text.remove_prefix(end + 1);
  }
}

}  // namespace bkr::tool
