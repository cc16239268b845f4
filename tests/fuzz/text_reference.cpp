// SPDX-License-Identifier: Apache-2.0
#include "text_reference.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace bkr::core::fuzzing {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }
bool same_letter(char a, char b) { return lower(a) == lower(b); }
bool continues(char c) { return (static_cast<uint8_t>(c) >> 6) == 2; }

std::string encoded(uint32_t point) {
  const auto byte = [](uint32_t value) { return static_cast<char>(static_cast<uint8_t>(value)); };
  const auto tail = [&](uint32_t shift) { return byte(0x80 | (point >> shift & 0x3f)); };
  if (point < 0x80) return {byte(point)};
  if (point < 0x800) return {byte(0xc0 | point >> 6), tail(0)};
  if (point < 0x10000) return {byte(0xe0 | point >> 12), tail(6), tail(0)};
  return {byte(0xf0 | point >> 18), tail(12), tail(6), tail(0)};
}

}  // namespace

bool plainly_utf8(std::string_view text) {
  while (!text.empty()) {
    std::size_t size = 1;
    while (size < text.size() && continues(text[size])) ++size;
    if (size > 4) return false;
    // The lead byte has as many ones at its top as there are bytes, or none for a byte alone.
    const auto lead = static_cast<uint8_t>(text[0]);
    uint32_t point = size == 1 ? lead : lead & (0xffu >> (size + 1));
    for (std::size_t i = 1; i < size; ++i) point = point << 6 | (static_cast<uint8_t>(text[i]) & 0x3fu);
    const bool surrogate = point >= 0xd800 && point <= 0xdfff;
    if (surrogate || point > 0x10ffff || encoded(point) != text.substr(0, size)) return false;
    text.remove_prefix(size);
  }
  return true;
}

bool plainly_identifier(std::string_view text) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  constexpr std::string_view more = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  return !text.empty() && letters.find(text.front()) != text.npos && text.find_first_not_of(more) == text.npos;
}

std::vector<std::string_view> plainly_split(std::string_view text, char separator) {
  std::vector<std::string_view> items;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && text[at] != separator) continue;
    items.push_back(text.substr(begin, at - begin));
    begin = at + 1;
  }
  return items;
}

std::string_view plainly_trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

bool plainly_matches(std::string_view glob, std::string_view text) {
  // reached[t]: what was read of the glob can stand for the first t bytes.
  std::vector<bool> reached(text.size() + 1, false);
  reached[0] = true;
  for (const char c : glob) {
    std::vector<bool> next(text.size() + 1, false);
    for (std::size_t t = 0; t <= text.size(); ++t) {
      if (!reached[t]) continue;
      if (c == '*') {
        std::fill(next.begin() + static_cast<std::ptrdiff_t>(t), next.end(), true);
        break;
      }
      if (t == text.size()) continue;
      std::size_t end = t + 1;
      if (c == '?') {
        while (end < text.size() && continues(text[end])) ++end;
        next[end] = true;
      } else if (same_letter(c, text[t])) {
        next[end] = true;
      }
    }
    reached = next;
  }
  return reached.back();
}

std::size_t plain_edits(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> cost((a.size() + 1) * width);
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      std::size_t &here = cost[i * width + j];
      if (i == 0 || j == 0) {
        here = i + j;
        continue;
      }
      const std::size_t change = cost[(i - 1) * width + j - 1] + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1);
      here = std::min({change, cost[(i - 1) * width + j] + 1, cost[i * width + j - 1] + 1});
    }
  }
  return cost.back();
}

}  // namespace bkr::core::fuzzing
