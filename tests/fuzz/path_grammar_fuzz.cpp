// SPDX-License-Identifier: Apache-2.0
// Qualified paths, a line each: what a path means by its text alone, and the pool that keeps each one once.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/text.h"
#include "budget.h"
#include "discover/catalog.h"
#include "fuzz_target.h"
#include "registry/path_grammar.h"
#include "registry/path_pool.h"
#include "require.h"
#include "sound_failure.h"
#include "text_reference.h"

namespace bkr::core::fuzzing {
namespace {

// ".so" with any number of ".digits" behind, ".dll", ".dylib".
bool plainly_library(std::string_view name) {
  if (name.ends_with(".dll") || name.ends_with(".dylib")) return true;
  const std::size_t so = name.rfind(".so");
  if (so == name.npos) return false;
  for (const std::string_view digits : plainly_split(name.substr(so + 3), '.')) {
    const bool first = digits.data() == name.data() + so + 3;
    if (first ? !digits.empty() : digits.empty() || digits.find_first_not_of("0123456789") != digits.npos) return false;
  }
  return true;
}

bool plainly_file(std::string_view text) { return text.find('/') != text.npos || plainly_library(text); }

bool plainly_dotted(std::string_view text) {
  const auto parts = plainly_split(text, '.');
  for (const std::string_view part : parts) {
    if (part.empty()) return false;
  }
  return parts.size() > 1;
}

// What the text means, by the grammar as it is written down.
struct Meaning {
  PathKind kind;
  std::string_view file, symbol;
};
Meaning plain_meaning(std::string_view text) {
  if (text.empty()) return {PathKind::empty, {}, {}};
  const std::size_t colons = text.rfind("::");
  if (colons != text.npos && plainly_identifier(text.substr(colons + 2)) && plainly_file(text.substr(0, colons))) {
    return {PathKind::file, text.substr(0, colons), text.substr(colons + 2)};
  }
  const bool splits = colons != text.npos && plainly_identifier(text.substr(colons + 2));
  if (!splits && plainly_file(text)) return {PathKind::file, text, kDefaultSymbol};
  return {plainly_dotted(text) ? PathKind::dotted : PathKind::word, {}, {}};
}

void require_meaning(std::string_view text, const ParsedPath &parsed) {
  const Meaning meaning = plain_meaning(text);
  require(parsed.kind == meaning.kind, "'", text, "' is of kind ", static_cast<int>(parsed.kind), ", expected ",
          static_cast<int>(meaning.kind));
  require(parsed.file == meaning.file && parsed.symbol == meaning.symbol, "'", text, "' is file '", parsed.file,
          "' and symbol '", parsed.symbol, "'");
  if (parsed.kind == PathKind::file) {
    require(text == parsed.file || cat(parsed.file, "::", parsed.symbol) == text, "the parts of '", text,
            "' do not join back");
    require(plainly_identifier(parsed.symbol), "the symbol of '", text, "' is none");
    require(parsed.has_directory == (parsed.file.find('/') != text.npos), "has_directory of '", text, "'");
    require(parsed.is_absolute == parsed.file.starts_with('/'), "is_absolute of '", text, "'");
    require(parsed.trailing_separator == parsed.file.ends_with('/'), "trailing_separator of '", text, "'");
  }
  if (parsed.kind == PathKind::dotted) {
    require(parsed.module_size > 0 && text.find('.', parsed.module_size) == parsed.module_size &&
                text.find('.', parsed.module_size + 1) == text.npos && parsed.module_size + 1 < text.size(),
            "the class of '", text, "' is not what follows the last dot");
  } else {
    require(parsed.module_size == text.size(), "'", text, "' has a class");
  }
}

bool must_be_refused(std::string_view text, const ParsedPath &parsed) {
  return text.empty() || text.size() > kMaxPathSize || parsed.trailing_separator;
}

void require_kept_path(std::string_view text, const ParsedPath &parsed, const QualifiedPath &path) {
  require(path.text() == text && std::string_view(path.c_str()) == text, "'", text, "' was kept as '", path.text(),
          "'");
  require(path.kind() == parsed.kind && path.module() == text.substr(0, parsed.module_size), "'", text,
          "' was kept as something else");
  if (parsed.kind != PathKind::file) return;
  const std::string_view file = path.file();
  require(path.symbol() == parsed.symbol, "the symbol of '", text, "' was kept as '", path.symbol(), "'");
  require(path.is_place() == parsed.has_directory, "is_place of '", text, "'");
  require(!path.is_place() || file.starts_with('/'), "'", text, "' leads to the relative '", file, "'");
  if (parsed.is_absolute || !parsed.has_directory) {
    require(file == parsed.file, "'", text, "' leads to '", file, "'");
    return;
  }
  for (const std::string_view part : plainly_split(file, '/')) {
    require(part != "." && part != "..", "'", text, "' leads to '", file, "'");
  }
}

constexpr std::size_t kMaxTexts = 64;  // enough for the pool's table to grow twice

void run(std::string_view input) {
  const Budget budget(8 * input.size() + 16384);
  Arena arena;
  PathPool pool(arena);
  std::unordered_map<std::string_view, const QualifiedPath *> kept;
  std::vector<std::string_view> texts = plainly_split(input, '\n');
  texts.resize(std::min(texts.size(), kMaxTexts));
  // A text comes from a C string, and so has no NUL inside.
  for (std::string_view text : texts) {
    text = text.substr(0, text.find('\0'));
    require(has_library_suffix(text) == plainly_library(text), "whether '", text, "' ends as a library does");
    require(is_identifier(text) == plainly_identifier(text), "whether '", text, "' is an identifier");
    const ParsedPath parsed = parse_path(text);
    require_meaning(text, parsed);

    const Result<const QualifiedPath *> path = pool.intern(text);
    require(path.has_value() != must_be_refused(text, parsed), "'", text, "' was ", path ? "taken" : "refused");
    if (!path) {
      require_sound(path.error());
      require(path.error().status == BKR_BAD_PATH, "refused with ", status_name(path.error().status));
      require(pool.make_refused(text)->text() == text.substr(0, kMaxPathSize + 1), "a refused path lost its text");
      continue;
    }
    require_kept_path(text, parsed, **path);
    const auto [first, is_new] = kept.emplace(text, *path);
    require(first->second == *path, "'", text, "' was kept twice");
    require_kept_path(text, parsed, **pool.make(text));
  }
  for (const auto &[text, path] : kept) require(*pool.intern(text) == path, "'", text, "' was not found again");
  budget.require_kept("reading paths");
}

}  // namespace
}  // namespace bkr::core::fuzzing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, std::size_t size) {
  bkr::core::fuzzing::run({reinterpret_cast<const char *>(data), size});
  return 0;
}
