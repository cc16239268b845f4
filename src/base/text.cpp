// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>

namespace bkr::core {

std::string join(std::span<const std::string> items, std::string_view separator) {
  std::string text;
  for (const std::string &item : items) {
    if (&item != items.data()) text += separator;
    text += item;
  }
  return text;
}

namespace {

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string sentence(std::string_view text) {
  while (text.ends_with('\n') || text.ends_with(' ')) text.remove_suffix(1);
  const bool ended = text.empty() || text.find('\n') != std::string_view::npos || text.ends_with('.') ||
                     text.ends_with('!') || text.ends_with('?');
  return cat(text, ended ? "" : ".");
}

std::string_view said_of(std::string_view subject, std::string_view sentence) noexcept {
  if (subject.empty() || !sentence.starts_with(subject)) return {};
  const std::string_view said = sentence.substr(subject.size());
  return said.starts_with(' ') ? said : std::string_view();
}

std::string_view nearest(std::string_view word, std::span<const std::string> candidates, std::size_t max_edits) {
  std::string_view best;
  std::size_t best_edits = max_edits + 1;
  for (const std::string &candidate : candidates) {
    const std::size_t gap =
        candidate.size() > word.size() ? candidate.size() - word.size() : word.size() - candidate.size();
    if (gap >= best_edits) continue;
    const std::size_t count = edits(word, candidate);
    if (count < best_edits) {
      best = candidate;
      best_edits = count;
    }
  }
  return best;
}

std::string hex(std::string_view bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> items;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) items.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return items;
}

std::size_t utf8_sequence(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<uint8_t>(text[i]); };
  const auto continues = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xC0u) == 0x80u; };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return continues(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    if (!continues(1) || !continues(2)) return 0;
    if (lead == 0xE0 && byte(1) < 0xA0) return 0;   // longer than needed
    if (lead == 0xED && byte(1) >= 0xA0) return 0;  // a surrogate
    return 3;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    if (lead == 0xF0 && byte(1) < 0x90) return 0;
    if (lead == 0xF4 && byte(1) >= 0x90) return 0;  // past U+10FFFF
    return 4;
  }
  return 0;
}

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    // Names and paths are ASCII almost always: eight bytes a step.
    uint64_t word = 0;
    if (text.size() >= sizeof word) {
      std::memcpy(&word, text.data(), sizeof word);
      if ((word & 0x8080808080808080u) == 0) {
        text.remove_prefix(sizeof word);
        continue;
      }
    }
    const std::size_t length = static_cast<uint8_t>(text.front()) < 0x80 ? 1 : utf8_sequence(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool is_identifier(std::string_view text) noexcept {
  // One look-up a byte: the names of a thousand plugins are asked.
  static constexpr auto allowed = [] {
    std::array<bool, 256> bytes{};
    for (const char c : std::string_view("abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")) {
      bytes[static_cast<uint8_t>(c)] = true;
    }
    return bytes;
  }();
  for (const char c : text) {
    if (!allowed[static_cast<uint8_t>(c)]) return false;
  }
  return !text.empty() && (text.front() < '0' || text.front() > '9');
}

std::size_t utf8_prefix(std::string_view text, std::size_t max_bytes) noexcept {
  if (text.size() <= max_bytes) return text.size();
  std::size_t keep = max_bytes;
  while (keep > 0 && max_bytes - keep < 3 && (static_cast<uint8_t>(text[keep]) & 0xC0u) == 0x80u) --keep;
  return (static_cast<uint8_t>(text[keep]) & 0xC0u) == 0x80u ? max_bytes : keep;
}

}  // namespace bkr::core
