// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_DISCOVER_FORMATS_H
#define BKR_DISCOVER_FORMATS_H

#include <bit>
#include <string>

#include "discover/image.h"

namespace bkr::core {

// The readers behind read_image(). Each fills what it can, also when the verdict is against the file.
void read_elf(const FileReader &file, Image &image);
void read_pe(const FileReader &file, Image &image);
void read_macho(const FileReader &file, Image &image);

// "x86-64, 64-bit, little-endian": the words of Image::machine.
std::string machine_text(std::string_view name, int bits, std::endian order);

// Notes why an image cannot be used, unless an earlier reason is known.
void refuse(Image &image, bkr_status status, int32_t stage, std::string reason, std::string next = {});

// Refuses a sound file that is for another system or machine; `what` is as in "an ELF library".
void refuse_foreign(Image &image, int32_t stage, std::string_view what);

// The format of this system's own shared libraries: "ELF", "PE" or "Mach-O".
std::string_view own_format() noexcept;

// "Get the file anew; …": the advice for a file that is damaged.
std::string damaged_advice();

}  // namespace bkr::core

#endif  // BKR_DISCOVER_FORMATS_H
