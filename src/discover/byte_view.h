// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_DISCOVER_BYTE_VIEW_H
#define BKR_DISCOVER_BYTE_VIEW_H

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace bkr::core {

// Numbers and texts inside bytes of a stated byte order, without regard to alignment. Every position is checked:
// past the end a number is 0 and a text is empty, so that a wrong size gives a wrong value, never a wild read.
class ByteView {
 public:
  ByteView(std::span<const std::byte> bytes, std::endian order) noexcept : bytes_(bytes), order_(order) {}

  std::size_t size() const noexcept { return bytes_.size(); }

  uint16_t u16(std::size_t at) const noexcept { return number<uint16_t>(at); }
  uint32_t u32(std::size_t at) const noexcept { return number<uint32_t>(at); }
  uint64_t u64(std::size_t at) const noexcept { return number<uint64_t>(at); }

  std::string_view text(std::size_t at, std::size_t length) const noexcept {
    if (at > bytes_.size() || length > bytes_.size() - at) return {};
    return {reinterpret_cast<const char *>(bytes_.data()) + at, length};
  }

 private:
  template <std::unsigned_integral T>
  T number(std::size_t at) const noexcept {
    if (at > bytes_.size() || sizeof(T) > bytes_.size() - at) return 0;
    T value = 0;
    std::memcpy(&value, bytes_.data() + at, sizeof value);  // own byte order is the rule: no loop over bytes for it
    return order_ == std::endian::native ? value : swapped(value);
  }

  template <std::unsigned_integral T>
  static T swapped(T value) noexcept {
    T other = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i, value = static_cast<T>(value >> 8)) {
      other = static_cast<T>(static_cast<T>(other << 8) | (value & 0xFFu));
    }
    return other;
  }

  std::span<const std::byte> bytes_;
  std::endian order_;
};

}  // namespace bkr::core

#endif  // BKR_DISCOVER_BYTE_VIEW_H
