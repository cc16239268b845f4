// SPDX-License-Identifier: Apache-2.0
#include "discover/image.h"

#include <algorithm>
#include <array>
#include <climits>

#include "base/process_wide.h"
#include "base/text.h"
#include "discover/formats.h"

namespace bkr::core {

namespace {

constexpr std::size_t kHeadSize = 512;

bool starts_with(std::string_view head, std::string_view magic) noexcept {
  return head.substr(0, magic.size()) == magic;
}

bool is_macho(std::string_view head) noexcept {
  using namespace std::string_view_literals;
  constexpr std::string_view magics[] = {"\xfe\xed\xfa\xce"sv, "\xce\xfa\xed\xfe"sv, "\xfe\xed\xfa\xcf"sv,
                                         "\xcf\xfa\xed\xfe"sv, "\xca\xfe\xba\xbf"sv};
  if (std::any_of(std::begin(magics), std::end(magics), [&](auto magic) { return starts_with(head, magic); })) {
    return true;
  }
  // The fat header shares its magic with Java classes, whose next four bytes are a version of 45 or more.
  return starts_with(head, "\xca\xfe\xba\xbe"sv) && head.size() >= 8 && starts_with(head.substr(4), "\0\0\0"sv) &&
         static_cast<unsigned char>(head[7]) < 45;
}

bool is_text(std::string_view head) noexcept {
  if (head.empty() ||
      !is_utf8(head.substr(0, utf8_prefix(head, head.size() - std::min<std::size_t>(head.size(), 4))))) {
    return false;
  }
  return std::all_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= 0x20 && byte != 0x7f) || c == '\n' || c == '\r' || c == '\t' || c == '\f';
  });
}

void read_other(std::string_view head, Image &image) {
  const auto no_library = [&](std::string format, std::string_view what) {
    image.format = std::move(format);
    refuse(image, BKR_BAD_FILE, BKR_STAGE_FORMAT, cat("it is ", what, ", not a shared library"),
           "Put a shared library in its place, or remove the file.");
  };
  if (head.empty()) return no_library("empty", "an empty file");
  if (starts_with(head, "!<arch>\n") || starts_with(head, "!<thin>\n")) {
    return no_library("archive", "an archive of object files (a static library)");
  }
  if (starts_with(head, "#!")) return no_library("script", "a script");
  if (is_text(head)) {
    for (const std::string_view word : {"GROUP", "INPUT", "OUTPUT_FORMAT"}) {
      const std::size_t at = head.find(word);
      if (at != std::string_view::npos && head.find('(', at) != std::string_view::npos) {
        return no_library("linker script", "a linker script");
      }
    }
    return no_library("text", "a text file");
  }
  return no_library("unknown", "a file of a format that is not known");
}

}  // namespace

void read_image(const FileReader &file, Image &image) {
  std::array<std::byte, kHeadSize> room;
  const auto size = static_cast<std::size_t>(std::min<uint64_t>(file.size(), room.size()));
  const std::byte *const bytes = file.borrow(0, {room.data(), size});
  if (!bytes) {
    image.format = "unknown";
    refuse(image, BKR_IO_ERROR, BKR_STAGE_OPEN, "it could not be read; it was cut short while it was looked at",
           "Try again when the file is complete.");
    return;
  }
  const std::string_view head(reinterpret_cast<const char *>(bytes), size);
  if (starts_with(head,
                  "\x7f"
                  "ELF")) {
    read_elf(file, image);
  } else if (starts_with(head, "MZ")) {
    read_pe(file, image);
  } else if (is_macho(head)) {
    read_macho(file, image);
  } else {
    read_other(head, image);
  }
}

namespace {

constexpr int kOwnBits = static_cast<int>(sizeof(void *)) * CHAR_BIT;
#if defined(__x86_64__) || defined(_M_X64)
constexpr std::string_view kOwnName = "x86-64";
#elif defined(__aarch64__) || defined(_M_ARM64)
constexpr std::string_view kOwnName = "aarch64";
#elif defined(__i386__) || defined(_M_IX86)
constexpr std::string_view kOwnName = "x86";
#elif defined(__arm__) || defined(_M_ARM)
constexpr std::string_view kOwnName = "arm";
#elif defined(__riscv)
constexpr std::string_view kOwnName = "riscv";
#elif defined(__powerpc64__)
constexpr std::string_view kOwnName = "ppc64";
#elif defined(__s390x__)
constexpr std::string_view kOwnName = "s390";
#elif defined(__loongarch__)
constexpr std::string_view kOwnName = "loongarch";
#else
#error "tell own_machine() and the readers the name of this machine"
#endif

std::string put_together(std::string_view name, int bits, std::endian order) {
  return cat(name, ", ", bits, "-bit, ", order == std::endian::little ? "little-endian" : "big-endian");
}

}  // namespace

std::string machine_text(std::string_view name, int bits, std::endian order) {
  const bool own = name == kOwnName && bits == kOwnBits && order == std::endian::native;
  return own ? own_machine() : put_together(name, bits, order);
}

const std::string &own_machine() {
  static constinit ProcessWide<const std::string> text;
  return text.get([] { return put_together(kOwnName, kOwnBits, std::endian::native); });
}

std::string_view own_format() noexcept {
#if defined(_WIN32)
  return "PE";
#elif defined(__APPLE__)
  return "Mach-O";
#else
  return "ELF";
#endif
}

void refuse(Image &image, bkr_status status, int32_t stage, std::string reason, std::string next) {
  if (!image.failure) image.failure = Failure{status, stage, std::move(reason), std::move(next), 0};
}

void refuse_foreign(Image &image, int32_t stage, std::string_view what) {
  refuse(image, BKR_WRONG_PLATFORM, stage,
         cat("it is ", what, image.machine.empty() ? "" : " for ", image.machine, "; an ", own_format(),
             " library for ", own_machine(), " is needed"),
         "Get the plugin that was built for this machine and system.");
}

std::string damaged_advice() { return "Get the file anew; it may not have been copied to its end."; }

}  // namespace bkr::core
