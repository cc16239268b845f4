// SPDX-License-Identifier: Apache-2.0
#include "registry/path_pool.h"

#include <algorithm>
#include <new>

#include "base/hash.h"

namespace bkr::core {

const QualifiedPath *PathPool::place(std::string_view text, const ParsedPath &parsed, std::string_view absolute_file) {
  std::size_t size = sizeof(QualifiedPath) + text.size() + 1;
  if (parsed.kind == PathKind::file) size += absolute_file.size() + 1 + parsed.symbol.size() + 1;
  auto *path = new (arena_.allocate(size, alignof(QualifiedPath))) QualifiedPath();
  path->size_ = static_cast<uint16_t>(text.size());
  path->module_size_ = static_cast<uint16_t>(parsed.module_size);
  path->kind_ = parsed.kind;
  path->is_place_ = parsed.has_directory;
  path->is_fixed_ = parsed.kind != PathKind::file || parsed.is_absolute || !parsed.has_directory;
  char *to = reinterpret_cast<char *>(path + 1);
  const auto append = [&to](std::string_view part) {
    to = std::copy(part.begin(), part.end(), to);  // not memcpy(): an empty part may have no address
    *to++ = '\0';
  };
  append(text);
  if (parsed.kind == PathKind::file) {
    append(absolute_file);
    append(parsed.symbol);
  }
  return path;
}

Result<const QualifiedPath *> PathPool::make(std::string_view text) {
  const ParsedPath parsed = parse_path(text);
  Result<std::string> file = check_path(text, parsed);
  if (!file) return fail(file.error());
  return place(text, parsed, *file);
}

const QualifiedPath *PathPool::make_refused(std::string_view text) {
  ParsedPath parsed;
  parsed.kind = PathKind::word;
  text = text.substr(0, kMaxPathSize + 1);  // one too long stays too long
  parsed.module_size = text.size();
  return place(text, parsed, {});
}

Result<const QualifiedPath *> PathPool::intern(std::string_view text, const ParsedPath *known) {
  reserve(1);

  // A text that means the same wherever the process stands is found without being parsed.
  std::size_t slot = slot_of(text, {}, true);
  if (const QualifiedPath *found = table_[slot]; found && found->is_fixed_) return found;

  const ParsedPath parsed = known ? *known : parse_path(text);
  Result<std::string> file = check_path(text, parsed);
  if (!file) return fail(file.error());
  if (parsed.kind == PathKind::file) {
    slot = slot_of(text, *file, false);
    if (const QualifiedPath *found = table_[slot]) return found;
  }
  const QualifiedPath *path = place(text, parsed, *file);
  table_[slot] = path;
  ++count_;
  return path;
}

// The slot that holds the text (with this absolute file, unless any will do), or the free one where it belongs.
std::size_t PathPool::slot_of(std::string_view text, std::string_view absolute_file, bool any_file) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t at = hash_text(text) >> 8 & mask;
  for (; table_[at]; at = (at + 1) & mask) {
    const QualifiedPath &path = *table_[at];
    const bool same_file = any_file || path.kind() != PathKind::file || path.file() == absolute_file;
    if (same_file && same_text(path.text(), text)) break;
  }
  return at;
}

void PathPool::grow() {
  std::vector<const QualifiedPath *> larger(table_.empty() ? 32 : table_.size() * 2);
  larger.swap(table_);
  for (const QualifiedPath *path : larger) {
    if (!path) continue;
    const std::size_t mask = table_.size() - 1;
    std::size_t at = hash_text(path->text()) >> 8 & mask;
    while (table_[at]) at = (at + 1) & mask;
    table_[at] = path;
  }
}

}  // namespace bkr::core
