// SPDX-License-Identifier: Apache-2.0
#ifndef BACKEND_REGISTRY_DETAIL_FACT_CHECK_HPP
#define BACKEND_REGISTRY_DETAIL_FACT_CHECK_HPP

// How abilities.hpp reads facts. Nothing here is for use by itself.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "../plugin_backend.hpp"

namespace bkr {

// A few values that a backend serves, kept in place: no memory is asked for. More than 32 do not compile in a constant,
// and throw a std::length_error elsewhere. An empty list serves any.
template <class T>
class choices {
 public:
  constexpr choices() = default;
  constexpr choices(std::initializer_list<T> items) {
    if (items.size() > kMost) throw std::length_error("bkr::choices holds at most 32 values");
    for (const T &item : items) items_[count_++] = item;
  }

  constexpr const T *begin() const noexcept { return items_; }
  constexpr const T *end() const noexcept { return items_ + count_; }
  constexpr bool empty() const noexcept { return count_ == 0; }

  constexpr bool contains(const T &item) const noexcept {
    for (const T &known : *this) {
      if (known == item) return true;
    }
    return false;
  }
  constexpr bool serves(const T &item) const noexcept { return empty() || contains(item); }

 private:
  static constexpr std::size_t kMost = 32;
  T items_[kMost] = {};
  std::size_t count_ = 0;
};

namespace detail {

// A number of nothing but digits; -1 for any other text.
inline std::int64_t count_of(std::string_view text) noexcept {
  std::int64_t value = -1;
  const char *end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data(), end, value);
  return failed == std::errc{} && rest == end && value >= 0 ? value : -1;
}

// "9.0" as 9 * 1000 + 0; -1 for any other text.
inline std::int64_t capability_of(std::string_view text) noexcept {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return -1;
  const std::int64_t major = count_of(text.substr(0, dot));
  const std::int64_t minor = count_of(text.substr(dot + 1));
  return major < 0 || minor < 0 || major > 999 || minor > 999 ? -1 : major * 1000 + minor;
}

// One validation: each key that is read here becomes known, what was never read is an unknown requirement.
class fact_check {
 public:
  fact_check(const options &facts, reasons &against, const choices<std::string_view> &own_facts) noexcept
      : facts_(facts), against_(against), own_facts_(own_facts) {}

  // The value of a fact, if it was asked for.
  std::optional<std::string_view> value(std::string_view key) {
    known_[count_++] = key;
    return facts_.find(key);
  }

  // Whether a fact of 0 or 1 is a 1. Another value is nothing that anyone could serve: it stays unknown.
  std::optional<bool> flag(std::string_view key, bool otherwise) {
    const std::optional<std::string_view> text = facts_.find(key);
    if (text && *text != "0" && *text != "1") return std::nullopt;
    known_[count_++] = key;
    return text ? *text == "1" : otherwise;
  }

  void require(bool served, std::string_view reason) {
    if (!served) against_.add(std::string(reason));
  }

  void require_flag(std::string_view key, bool ability, std::string_view reason) {
    const std::optional<bool> asked = flag(key, false);
    require(ability || asked != true, reason);
  }

  void require_choice(std::string_view key, const choices<std::string_view> &served, std::string_view reason) {
    const std::optional<std::string_view> asked = value(key);
    require(!asked || served.serves(*asked), reason);
  }

  // Last of all: what no check has read.
  void refuse_unknown() {
    for (const bkr_option *fact = facts_.begin(); fact != facts_.end(); ++fact) {
      if (!is_known(fact->key) && !comes_later(*fact)) against_.add_unknown(*fact);
    }
  }

 private:
  bool is_known(std::string_view key) const noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      if (known_[i] == key) return true;
    }
    return own_facts_.contains(key);
  }

  // Of a key that comes twice the last one counts.
  bool comes_later(const bkr_option &fact) const noexcept {
    for (const bkr_option *later = &fact + 1; later != facts_.end(); ++later) {
      if (std::string_view(later->key) == fact.key) return true;
    }
    return false;
  }

  const options &facts_;
  reasons &against_;
  const choices<std::string_view> &own_facts_;
  std::string_view known_[24];  // as many as a family has, and some
  std::size_t count_ = 0;
};

}  // namespace detail
}  // namespace bkr

#endif  // BACKEND_REGISTRY_DETAIL_FACT_CHECK_HPP
