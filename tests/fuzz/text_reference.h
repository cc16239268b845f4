// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_FUZZ_TEXT_REFERENCE_H
#define BKR_TESTS_FUZZ_TEXT_REFERENCE_H

#include <cstddef>
#include <string_view>
#include <vector>

// What the library does quickly, done a second time so plainly that it is surely right.
namespace bkr::core::fuzzing {

// UTF-8: every sequence decodes to a number that encodes to the same bytes and may be in a text.
bool plainly_utf8(std::string_view text);

bool plainly_identifier(std::string_view text);

// Every item between separators, the empty ones too.
std::vector<std::string_view> plainly_split(std::string_view text, char separator);

std::string_view plainly_trimmed(std::string_view text);

// `*`: any bytes, `?`: a byte and the continuation bytes behind it, letters' case not counted.
bool plainly_matches(std::string_view glob, std::string_view text);

// Levenshtein's distance, letters' case not counted.
std::size_t plain_edits(std::string_view a, std::string_view b);

}  // namespace bkr::core::fuzzing

#endif  // BKR_TESTS_FUZZ_TEXT_REFERENCE_H
