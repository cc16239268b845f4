// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_BASE_TEXT_H
#define BKR_BASE_TEXT_H

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bkr::core {

namespace detail {
inline void append(std::string &to, std::string_view part) { to += part; }
void append(std::string &to, std::integral auto number) { to += std::to_string(number); }
}  // namespace detail

// Texts and whole numbers, one after the other: cat("line ", 3).
template <class... Parts>
std::string cat(const Parts &...parts) {
  std::string text;
  (detail::append(text, parts), ...);
  return text;
}

// The items with a separator between: "A, B, C".
std::string join(std::span<const std::string> items, std::string_view separator = ", ");

// A text of others as a sentence of ours: with a full stop, if it is one line that has none.
std::string sentence(std::string_view text);

// What a sentence says of its subject: " is gone." of "/x is gone."; empty if it does not begin with that subject.
std::string_view said_of(std::string_view subject, std::string_view sentence) noexcept;

// The candidate with the fewest edits (Levenshtein, letters' case not counted) to `word`, if there are at most
// `max_edits`; of several the first.
std::string_view nearest(std::string_view word, std::span<const std::string> candidates, std::size_t max_edits);

// Two digits for each byte.
std::string hex(std::string_view bytes);

// Splits at a separator; empty items are left out.
std::vector<std::string_view> split(std::string_view text, char separator);

// The length of the well-formed UTF-8 sequence at the start of `text`, 0 if there is none. `text` is not empty.
std::size_t utf8_sequence(std::string_view text) noexcept;

// Whether `text` is well-formed UTF-8.
bool is_utf8(std::string_view text) noexcept;

// [A-Za-z_][A-Za-z0-9_]*
bool is_identifier(std::string_view text) noexcept;

// How many bytes of `text` to keep so that at most `max_bytes` remain and no character is cut in two.
std::size_t utf8_prefix(std::string_view text, std::size_t max_bytes) noexcept;

}  // namespace bkr::core

#endif  // BKR_BASE_TEXT_H
