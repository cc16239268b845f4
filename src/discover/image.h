// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_DISCOVER_IMAGE_H
#define BKR_DISCOVER_IMAGE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "discover/file_reader.h"

namespace bkr::core {

// What the bytes of an executable file say about it, whatever its format.
struct Image {
  std::string format;   // "ELF", "PE", "Mach-O", or what else was found: "text", "empty", "unknown"
  std::string machine;  // "x86-64, 64-bit, little-endian"; empty where the format is none of the three
  // Load addresses [begin, end) of the image relative to its base, for proving that a symbol lies in it.
  uint64_t load_begin = 0;
  uint64_t load_end = 0;
  std::vector<std::string> needed;  // the libraries it names as needed
  std::string search_path;          // where it wants them looked for, as it is written
  bool exports_create_backend = false;
  std::optional<std::vector<std::byte>> descriptor;  // the raw bytes, until inspect_file() has parsed them
  std::optional<Failure> failure;                    // stages 2 to 6: the first that failed
};

// Reads an image of any format into an empty one; the one door to the readers of ELF, PE and Mach-O. Does not fail:
// what is wrong with the file is in Image::failure, together with all that could be read before.
void read_image(const FileReader &file, Image &image);
inline Image read_image(const FileReader &file) {
  Image image;
  read_image(file, image);
  return image;
}

// The machine this library was built for, in the words of Image::machine.
const std::string &own_machine();

}  // namespace bkr::core

#endif  // BKR_DISCOVER_IMAGE_H
