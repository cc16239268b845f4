// SPDX-License-Identifier: Apache-2.0
// What a qualified path means by its text alone. The texts are case N5's and others that could be misread.
#include "registry/path_grammar.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace bkr::core {
namespace {

struct Row {
  const char *text;
  PathKind kind;
  const char *file;  // or the module of a dotted path
  const char *symbol;
};

class PathGrammar : public ::testing::TestWithParam<Row> {};

TEST_P(PathGrammar, N5_ReadsAsTheGrammarSays) {
  const Row &row = GetParam();
  const std::string_view text = row.text;
  const ParsedPath parsed = parse_path(text);
  EXPECT_EQ(parsed.kind, row.kind) << text;
  if (row.kind == PathKind::file) {
    EXPECT_EQ(parsed.file, row.file) << text;
    EXPECT_EQ(parsed.symbol, row.symbol) << text;
    EXPECT_EQ(parsed.module_size, text.size()) << "a file has no class";
  } else {
    EXPECT_EQ(text.substr(0, parsed.module_size), row.file) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Texts, PathGrammar,
    ::testing::Values(
        Row{"a.b.Class", PathKind::dotted, "a.b", ""}, Row{"a.B", PathKind::dotted, "a", ""},
        Row{"/opt/a::b/libx.so", PathKind::file, "/opt/a::b/libx.so", "create_backend"},
        Row{"/opt/a::b/libx.so::make", PathKind::file, "/opt/a::b/libx.so", "make"},
        Row{"libx.so", PathKind::file, "libx.so", "create_backend"}, Row{"libx.so::f", PathKind::file, "libx.so", "f"},
        Row{"libx.so.1.20::f", PathKind::file, "libx.so.1.20", "f"}, Row{"x.dll::f", PathKind::file, "x.dll", "f"},
        Row{"x.dylib", PathKind::file, "x.dylib", "create_backend"},
        Row{"./plain", PathKind::file, "./plain", "create_backend"}, Row{"/plain::f", PathKind::file, "/plain", "f"},
        Row{"/a/::f", PathKind::file, "/a/", "f"},
        // A symbol is an identifier, and what precedes it must be a file: otherwise the "::" belongs to the text.
        Row{"libx.so::ns::make", PathKind::dotted, "libx", ""}, Row{"x.so::9f", PathKind::dotted, "x", ""},
        Row{"libx.so::", PathKind::dotted, "libx", ""}, Row{"foo::bar", PathKind::word, "foo::bar", ""},
        // No part of a dotted path is empty.
        Row{"a..b", PathKind::word, "a..b", ""}, Row{".a", PathKind::word, ".a", ""},
        Row{"a.", PathKind::word, "a.", ""}, Row{".", PathKind::word, ".", ""}, Row{"foo", PathKind::word, "foo", ""},
        Row{"libx.so.", PathKind::word, "libx.so.", ""}, Row{"a.so.x", PathKind::dotted, "a.so", ""},
        Row{"", PathKind::empty, "", ""},
        // On Windows a place; elsewhere the name of a file, since only "/" separates.
        Row{"C:\\x\\y.dll::f", PathKind::file, "C:\\x\\y.dll", "f"}));

TEST(PathGrammar, TellsPlacesFromNames) {
  EXPECT_FALSE(parse_path("libx.so").has_directory);
  EXPECT_TRUE(parse_path("./libx.so").has_directory);
  EXPECT_FALSE(parse_path("./libx.so").is_absolute);
  EXPECT_TRUE(parse_path("/libx.so").is_absolute);
  EXPECT_TRUE(parse_path("plugins/").trailing_separator);
  EXPECT_TRUE(parse_path("plugins/::create").trailing_separator);
  EXPECT_FALSE(parse_path("plugins/x").trailing_separator);
}

TEST(PathGrammar, Identifiers) {
  for (const char *good : {"a", "_", "A1", "_9"}) EXPECT_TRUE(is_identifier(good)) << good;
  for (const char *bad : {"", "1", "a-b", "a b", "a.b", "\xC3\xA9", "a\n"}) EXPECT_FALSE(is_identifier(bad)) << bad;
}

}  // namespace
}  // namespace bkr::core
